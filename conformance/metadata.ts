/** What the comment at the head of a test says about it. */
export interface Metadata {
  readonly flags: ReadonlySet<string>;
  readonly includes: readonly string[];
  /** The error that the test is about, and when it must come. */
  readonly negative: { readonly phase: string; readonly type: string } | null;
}

/** The comment is YAML; the few fields that matter are written in two ways only: `a: [x, y]` and a list of lines. */
export function metadataOf(text: string): Metadata {
  const head = /\/\*---([\s\S]*?)---\*\//.exec(text)?.[1]?.replaceAll(/\r\n?/g, "\n") ?? "";
  return {
    flags: new Set(listAt(head, "flags")),
    includes: listAt(head, "includes"),
    negative: negativeOf(head),
  };
}

function listAt(head: string, field: string): string[] {
  const inline = new RegExp(`^ *${field}: *\\[([^\\]]*)\\]`, "m").exec(head)?.[1];
  if (inline !== undefined) return inline.split(",").map((item) => item.trim());
  const lines = new RegExp(`^ *${field}: *\\n((?: *- .*\\n?)+)`, "m").exec(head)?.[1];
  return lines === undefined ? [] : [...lines.matchAll(/- *(\S+)/g)].map((match) => match[1]!);
}

function negativeOf(head: string): Metadata["negative"] {
  const fields = /^( *)negative: *\n((?:\1 +.*\n?)+)/m.exec(head)?.[2];
  if (fields === undefined) return null;
  const phase = /phase: *(\w+)/.exec(fields)?.[1] ?? "runtime";
  return { phase, type: /type: *(\w+)/.exec(fields)?.[1] ?? "Error" };
}
