// Talking to the server: one function, and one kind of error.

export class ApiError extends Error {
  constructor(message, code, status) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export async function ask(path, body, signal) {
  let response;
  try {
    response = await fetch(path, body === undefined ? { signal } : {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("", "offline", 0);
  }
  const type = response.headers.get("content-type") ?? "";
  if (!response.ok) {
    const { error } = type.includes("json") ? await response.json() : { error: {} };
    throw new ApiError(error.message ?? response.statusText, error.code ?? "http", response.status);
  }
  return type.includes("json") ? response.json() : response.text();
}

export function download(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
