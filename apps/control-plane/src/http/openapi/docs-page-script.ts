/** In browsers: no module, no library. */
export const PAGE_SCRIPT = `"use strict";
const field = (id) => document.getElementById(id);
const operations = [...document.querySelectorAll(".operation")];

field("filter").addEventListener("input", ({ target }) => {
  const wanted = target.value.toLowerCase();
  for (const one of operations) one.hidden = !one.querySelector("summary").textContent.toLowerCase().includes(wanted);
});

function open() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
addEventListener("hashchange", open);
open();

function requestOf(operation, form) {
  let path = operation.dataset.path;
  const query = new URLSearchParams();
  const headers = {};
  for (const input of form.querySelectorAll("input")) {
    if (input.value === "") continue;
    if (input.dataset.in === "path") path = path.replace("{" + input.name + "}", encodeURIComponent(input.value));
    if (input.dataset.in === "query") query.set(input.name, input.value);
    if (input.dataset.in === "header") headers[input.name] = input.value;
  }
  if (field("token").value !== "") headers.authorization = "Bearer " + field("token").value;
  if (field("namespace").value !== "") headers["cairn-namespace"] = field("namespace").value;
  const body = form.querySelector("textarea")?.value.trim() ?? "";
  if (body !== "") headers["content-type"] = "application/json";
  const search = query.size === 0 ? "" : "?" + query;
  return [path + search, { method: operation.dataset.method.toUpperCase(), headers, ...(body === "" ? {} : { body }) }];
}

function shown(text, type) {
  try {
    return type.includes("json") ? JSON.stringify(JSON.parse(text), null, 2) : text;
  } catch {
    return text;
  }
}

async function follow(response, show) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text = (text + part.value).slice(-20000);
    show(text);
  }
}

for (const operation of operations) {
  const form = operation.querySelector("form");
  const answer = operation.querySelector(".answer");
  let before = new AbortController();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    answer.hidden = false;
    answer.textContent = "…";
    // A stream that is still shown.
    before.abort();
    const { signal } = (before = new AbortController());
    try {
      const [path, init] = requestOf(operation, form);
      const response = await fetch(path, { ...init, signal });
      const type = response.headers.get("content-type") ?? "";
      const head = response.status + " " + response.statusText + "\\n\\n";
      if (type.startsWith("text/event-stream")) await follow(response, (text) => (answer.textContent = head + text));
      else answer.textContent = head + shown(await response.text(), type);
    } catch (error) {
      if (!signal.aborted) answer.textContent = String(error);
    }
  });
}
`;
