import { builtins, v8NamesOf } from "./list.ts";

/** The reference page of what workflow bodies have, made from the list. */
export function builtinsPage(): string {
  const lines = [
    "# Built-ins",
    "",
    "What workflow bodies may use of JavaScript's built-in objects, each doing exactly what Node 20 does. Everything else",
    "is refused: by a diagnostic where the name stands in the source, else when a run reaches it.",
    "",
    "Arguments may be left out wherever JavaScript lets them be; a `?` marks those that do not count in a function's",
    "`length`. What `cairnjs` exports is described in the language guide.",
    "",
  ];
  for (const [family, members] of families()) {
    lines.push(`## ${family}`, "", "```", ...members, "```", "");
    const left = leftOut(family);
    if (left.length > 0) lines.push(`Not available: ${left.map((name) => `\`${name}\``).join(", ")}.`, "");
  }
  return lines.join("\n");
}

/** Signatures by the global that they belong to; what is a global itself stands under its own name. */
function families(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { path, kind, signature } of builtins) {
    if (kind === "prototype" || kind === "namespace") continue;
    const family = path.split(".")[0]!;
    if (family === "cairn") continue;
    const members = found.get(family) ?? [];
    members.push(signature.replaceAll(/\s+(?:machine|prelude|length=\d+)\b/g, "").trim());
    found.set(family, members);
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Names that V8 has there and workflows do not. */
function leftOut(family: string): string[] {
  const paths = new Set(builtins.map(({ path }) => path));
  const always = new Set(["constructor", "prototype", "name", "length"]);
  return [family, `${family}.prototype`].flatMap((owner) =>
    v8NamesOf(owner)
      .filter((name) => !always.has(name) && !paths.has(`${owner}.${name}`))
      .map((name) => `${owner}.${name}`),
  );
}
