// Talking to the server: one function, and one kind of error.

export class ApiError extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
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
    throw new ApiError("", "offline");
  }
  const type = response.headers.get("content-type") ?? "";
  if (!response.ok) {
    const { error } = type.includes("json") ? await response.json() : { error: {} };
    throw new ApiError(error.message ?? response.statusText, error.code ?? "http");
  }
  return type.includes("json") ? spelled(await response.json()) : response.text();
}

// The server says null for what is not given; the page spells it as CoNLL-U does, "_" and head -1, which the server takes too.
function spelled(answer) {
  for (const sentence of answer.sentences ?? []) {
    for (const name of ["lemmas", "upos", "xpos", "feats", "deprels", "deps", "misc"]) {
      sentence[name] = sentence[name].map((value) => value ?? "_");
    }
    sentence.heads = sentence.heads.map((head) => head ?? -1);
  }
  return answer;
}

export function download(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
