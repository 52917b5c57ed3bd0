import type { JsonSchema } from "./json-schemas.ts";
import {
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiResponse,
  responseOf,
} from "./openapi-document.ts";
import { typeText } from "./type-text.ts";

export { PAGE_SCRIPT } from "./docs-page-script.ts";
export { PAGE_STYLE } from "./docs-page-style.ts";

/**
 * The document as a page: made here, so that it can be read without a script; the script is for trying. Scalar was looked at: 3 MB of
 * script, with fonts, a proxy and telemetry to be switched off, for what these few lines do.
 */
export function docsPage(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = document.tags.map(({ name, description }) => ({
    name,
    description,
    own: operations
      .filter(({ operation }) => operation.tags.includes(name))
      .map((shown) => operationOf(document, shown)),
  }));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cairn: REST</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/docs/page.css"></head><body>
<header><h1>Cairn <small>${escape(document.info.version)}</small></h1>
<p>${marked(document.info.description)}</p>
<p><a href="/openapi.json">openapi.json</a></p>
<div class="access"><label>Key <input id="token" type="password" autocomplete="off" placeholder="none"></label>
<label>Namespace <input id="namespace" placeholder="default"></label>
<label>Filter <input id="filter" type="search" placeholder="runs, schedule, …"></label></div></header>
<main>${groups.map(({ name, description, own }) => group(name, description, own)).join("\n")}
<section><h2 id="schemas">schemas</h2>${Object.entries(document.components.schemas).map(schemaOf).join("\n")}</section></main>
<script src="/docs/page.js" defer></script></body></html>
`;
}

interface Shown {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
}

function group(name: string, description: string, operations: readonly string[]): string {
  return `<section><h2>${escape(name)}</h2><p>${escape(description)}</p>${operations.join("\n")}</section>`;
}

function operationOf(document: OpenApiDocument, { path, method, operation }: Shown): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const scope = operation["x-cairn-scope"];
  const body = requestBody?.content["application/json"];
  const rows = Object.entries(responses).map(([status, response]) => {
    const { description: what, content = {} } = responseOf(document, response);
    return `<tr><th>${escape(status)}</th><td>${marked(what)}</td><td><code>${linked(contentText(content))}</code></td></tr>`;
  });
  return `<details class="operation" id="${escape(operationId)}" data-method="${method}" data-path="${escape(path)}">
<summary><b class="${method}">${method.toUpperCase()}</b> <code>${escape(path)}</code> <span>${escape(summary)}</span></summary>
<p>${description === undefined ? "" : marked(description)} <small>${escape(operationId)}${scope === "public" ? "" : `, scope <b>${escape(scope)}</b>`}</small></p>
<form>${parameters.map(parameterOf).join("")}${
    body === undefined
      ? ""
      : `<label class="body"><span>body${requestBody?.required === true ? " *" : ""} <code>${linked(typeText(body.schema))}</code></span>
<textarea name="body" spellcheck="false" rows="5">${escape(body.example === undefined ? "" : JSON.stringify(body.example, null, 2))}</textarea></label>`
  }
<button>Send</button></form><pre class="answer" hidden></pre>
<table><tbody>${rows.join("")}</tbody></table></details>`;
}

/** Of a stream, what its events have as data. */
function contentText(content: NonNullable<OpenApiResponse["content"]>): string {
  const [first] = Object.entries(content);
  if (first === undefined) return "";
  const [type, { schema, "x-cairn-events": events }] = first;
  return type === "application/problem+json" ? "Problem" : typeText(events?.["message"] ?? schema);
}

function parameterOf({ name, in: where, required, schema, description }: OpenApiParameter): string {
  // The field at the top says it.
  if (name === "namespace" || name === "cairn-namespace") return "";
  const about = description === undefined ? "" : ` ${escape(description)}`;
  return `<label><span>${escape(name)}${required ? " *" : ""} <small>${where}</small> <code>${escape(typeText(schema))}</code>${about}</span>
<input name="${escape(name)}" data-in="${where}"${required ? " required" : ""}></label>`;
}

function schemaOf([name, schema]: [string, JsonSchema]): string {
  return `<details id="schema-${escape(name)}"><summary><code>${escape(name)}</code></summary><pre>${linked(typeText(schema, 0))}</pre></details>`;
}

/** Names of components lead to them. */
function linked(text: string): string {
  return escape(text).replaceAll(/\b[A-Z][A-Za-z]+\b/g, (name) => `<a href="#schema-${name}">${name}</a>`);
}

function marked(text: string): string {
  return escape(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}
