// Asking the service; refusals become errors with the words of the problem.

const keyName = "laconic-key";

export class Problem extends Error {
  constructor(problem) {
    super(problem.detail ?? problem.title ?? "The service does not answer.");
    this.problem = problem;
  }
}

async function askKey() {
  const dialog = document.getElementById("key-dialog");
  dialog.showModal();
  await new Promise((done) => dialog.addEventListener("close", done, { once: true }));
  sessionStorage.setItem(keyName, document.getElementById("key").value);
}

async function send(path, options, tries = 0) {
  const key = sessionStorage.getItem(keyName), headers = { ...options.headers, ...(key ? { "X-API-Key": key } : {}) };
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ detail: "The service cannot be reached." });
  }
  if (response.status === 401 && tries < 3) {
    await askKey();
    return send(path, options, tries + 1);
  }
  if (response.status === 503 && response.headers.get("Retry-After") && tries < 5) {
    await new Promise((wake) => setTimeout(wake, 400 * (tries + 1)));
    return send(path, options, tries + 1);
  }
  const answer = await response.json();
  if (!response.ok) throw new Problem(answer);
  return answer;
}

export const get = (path) => send(path, {});
export const post = (path, body, signal) =>
  send(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });
export const postFile = (path, content) => send(path, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: content });
