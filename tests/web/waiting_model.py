"""A model that waits until a test says so, and what tests need to observe a server meanwhile."""

import threading
import time
from types import SimpleNamespace

from plait import Document, OptionError, Sentence


class WaitingModel:
    """Answers at once, but for the word "wait": then when the test says so."""

    def __init__(self):
        self.system = SimpleNamespace(name="waiting", predicts=("upos",), segments=False)
        self.header = {"training": {}, "data": {}, "licence": "", "attribution": ""}
        self.go = threading.Event()
        self.seen = []

    def __call__(self, input, *, keep=(), scores=False, dictionary=None, mode="force"):
        sentence = input if isinstance(input, Sentence) else Sentence(input.split())
        self.seen.append(" ".join(sentence.forms))
        if "wait" in sentence.forms:
            self.go.wait(20)
        if "fail" in sentence.forms:
            raise RuntimeError("secret")
        return Document([sentence])

    def predicted_columns(self, input, *, keep=()):
        return frozenset(self.system.predicts)

    def nbest(self, input, count):
        raise OptionError("none")


def in_background(function):
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    return thread, results


def until(condition):
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)
