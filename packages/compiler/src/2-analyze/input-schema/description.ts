import type { Node } from "oxc-parser";

const DESCRIPTION_MAX = 500;

/** What the comment in front of a declaration says in words, its tags left out; null without one. */
export function descriptionBefore({ start }: Pick<Node, "start">, source: string): string | null {
  const before = source.slice(0, start).trimEnd();
  if (!before.endsWith("*/")) return null;
  const from = before.lastIndexOf("/*");
  if (!before.startsWith("/**", from) || before.length - from <= "/***/".length) return null;
  const lines = before
    .slice(from + "/**".length, -"*/".length)
    .split("\n")
    .map((line) => line.replace(/^\s*\*?/, "").trim());
  const tag = lines.findIndex((line) => line.startsWith("@"));
  const text = (tag === -1 ? lines : lines.slice(0, tag)).join(" ").replaceAll(/\s+/g, " ").trim();
  if (text === "") return null;
  return text.length > DESCRIPTION_MAX ? `${text.slice(0, DESCRIPTION_MAX - 1)}…` : text;
}
