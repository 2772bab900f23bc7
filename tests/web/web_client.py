"""A small client: what a test sends, and what came back."""

import http.client
import json
from dataclasses import dataclass
from urllib.parse import urlsplit

JSON = {"content-type": "application/json"}


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        assert self.headers["content-type"] == "application/json", self.headers
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode()

    @property
    def error(self):
        """The error, which every refused request must have in this shape."""
        error = self.json["error"]
        assert error["status"] == self.status >= 400
        assert error["code"]
        assert error["message"]
        return error


@dataclass(frozen=True)
class Client:
    address: str

    def send(self, method, path, body=None, headers=None, timeout=60):
        place = urlsplit(self.address)
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            named = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, named, response.read())
        finally:
            connection.close()

    def get(self, path):
        return self.send("GET", path)

    def post(self, path, record):
        return self.send("POST", path, json.dumps(record), JSON)

    def parse(self, **fields):
        return self.post("/v1/parse", fields)
