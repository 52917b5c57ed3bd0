import { action, workflow } from "cairnjs";

type Data = { [key: string]: unknown };
type Part =
  | { kind: "text"; text: string }
  | { kind: "value"; path: string[]; filters: string[]; raw: boolean }
  | { kind: "each"; path: string[]; as: string; body: Part[] }
  | { kind: "if"; path: string[]; body: Part[]; otherwise: Part[] };

class TemplateError extends Error {
  constructor(
    message: string,
    readonly tag: string,
  ) {
    super(`§${message}`);
  }
}

const loadTemplate = action("loadTemplate", async (name: string) => (name === "mail" ? MAIL : "{{#if broken}}"));

const MAIL = `Dear {{name | upper}},
{{#each items as item}}- {{item.title}} ({{item.price | money}}){{#if item.gift}} *gift*{{#else}}, {{item.note | default}}{{/if}}
{{/each}}
Total: {{total | money}} & {{{html}}} {{html}} {{missing.deep.path}}`;

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character]!);

const FILTERS: Record<string, (value: unknown) => unknown> = {
  upper: (value) => String(value).toUpperCase(),
  money: (value) => `${(Number(value) / 100).toFixed(2)} €`,
  default: (value) => value ?? "–",
};

function parse(source: string): Part[] {
  const root: Part[] = [];
  const stack: { parts: Part[]; tag: string; node?: Part }[] = [{ parts: root, tag: "" }];
  let last = 0;
  for (const match of source.matchAll(/\{\{(\{)?\s*([#/]?)\s*([^}]*?)\s*\}?\}\}/g)) {
    const top = stack.at(-1)!;
    if (match.index > last) top.parts.push({ kind: "text", text: source.slice(last, match.index) });
    last = match.index + match[0].length;
    const [, brace, mark, content] = match as unknown as [string, string | undefined, string, string];
    if (mark === "#" && content.startsWith("each ")) {
      const [, path, as] = /^each (\S+) as (\w+)$/.exec(content) ?? [];
      if (path === undefined || as === undefined) throw new TemplateError("bad each", content);
      const node: Part = { kind: "each", path: path.split("."), as, body: [] };
      top.parts.push(node);
      stack.push({ parts: node.body, tag: "each", node });
    } else if (mark === "#" && content.startsWith("if ")) {
      const node: Part = { kind: "if", path: content.slice(3).split("."), body: [], otherwise: [] };
      top.parts.push(node);
      stack.push({ parts: node.body, tag: "if", node });
    } else if (mark === "#" && content === "else") {
      if (top.node?.kind !== "if") throw new TemplateError("else without if", content);
      top.parts = top.node.otherwise;
    } else if (mark === "/") {
      if (top.tag !== content) throw new TemplateError(`closing ${content} inside ${top.tag || "nothing"}`, content);
      stack.pop();
    } else {
      const [path, ...filters] = content.split("|").map((part) => part.trim());
      top.parts.push({ kind: "value", path: path!.split("."), filters, raw: brace !== undefined });
    }
  }
  if (stack.length > 1) throw new TemplateError("unclosed", stack.at(-1)!.tag);
  if (last < source.length) root.push({ kind: "text", text: source.slice(last) });
  return root;
}

const lookUp = (path: readonly string[], scopes: readonly Data[]): unknown => {
  const [first, ...rest] = path;
  const scope = scopes.findLast((each) => first! in each);
  return rest.reduce<unknown>((value, key) => (value as Data | undefined)?.[key], scope?.[first!]);
};

function render(parts: readonly Part[], scopes: readonly Data[]): string {
  return parts
    .map((part) => {
      switch (part.kind) {
        case "text":
          return part.text;
        case "each": {
          const list = lookUp(part.path, scopes);
          return Array.isArray(list)
            ? list.map((item, index) => render(part.body, [...scopes, { [part.as]: item, index }])).join("")
            : "";
        }
        case "if":
          return render(lookUp(part.path, scopes) ? part.body : part.otherwise, scopes);
        default: {
          const value = part.filters.reduce(
            (current, name) => (FILTERS[name] ?? ((same: unknown) => same))(current),
            lookUp(part.path, scopes),
          );
          const text = value === undefined || value === null ? "" : String(value);
          return part.raw ? text : escape(text);
        }
      }
    })
    .join("");
}

export const input = {
  name: "zoë",
  html: '<b class="x">&</b>',
  total: 12345.5,
  items: [
    { title: "A > B", price: 100, gift: true },
    { title: "tea", price: 99, note: "fresh" },
    { title: "", price: NaN, note: null },
  ],
};

export default workflow("render", async (data: Data) => {
  const results: unknown[] = [];
  for (const name of ["mail", "broken"]) {
    try {
      results.push(render(parse(await loadTemplate(name)), [data]));
    } catch (error) {
      results.push(error instanceof TemplateError ? [error.tag, error.message] : error);
    }
  }
  return results;
});
