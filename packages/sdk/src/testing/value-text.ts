/** Longer values are cut. */
const VALUE_LENGTH_MAX = 70;

/** Beyond this nothing of the end would be seen: not worth parsing. */
const PARSED_LENGTH_MAX = 10_000;

/** An encoded value for people: what JSON lacks as in code, as far as it is short there; cut if it is long. */
export function valueText(text: string): string {
  return shortened(written(text));
}

/** Elements of an encoded array of arguments: `"ada",undefined`. */
export function elementsText(array: string): string {
  const text = written(array);
  // Shared objects in it are written as they are stored.
  return shortened(text.startsWith("[") ? text.slice(1, -1) : text);
}

function shortened(text: string): string {
  return text.length <= VALUE_LENGTH_MAX ? text : `${text.slice(0, VALUE_LENGTH_MAX - 1)}…`;
}

function written(text: string): string {
  return text.length > PARSED_LENGTH_MAX || !text.includes('"$') ? text : asCode(JSON.parse(text));
}

function asCode(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(asCode).join(",")}]`;
  const entries: [string, unknown][] = Object.entries(value);
  const [tag, payload] = entries[0] ?? [];
  switch (tag) {
    case "$undefined":
      return "undefined";
    case "$number":
      return String(payload);
    case "$bigint":
      return `${String(payload)}n`;
    case "$date":
      return typeof payload === "number" ? `Date(${new Date(payload).toISOString()})` : "Date(invalid)";
    case "$object":
      return tableText(Object.entries(payload as object));
    default:
      return tableText(entries);
  }
}

function tableText(entries: readonly (readonly [string, unknown])[]): string {
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${asCode(each)}`).join(",")}}`;
}
