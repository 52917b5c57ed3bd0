import { readFileSync } from "node:fs";

/** Tests that `known-differences.md` lists: each deliberate, with its reason. */
export function knownDifferences(): ReadonlySet<string> {
  const place = import.meta.url.includes("/dist/") ? "../known-differences.md" : "known-differences.md";
  const text = readFileSync(new URL(place, import.meta.url), "utf8");
  return new Set([...text.matchAll(/^- `([^`]+\.js)`/gm)].map((match) => match[1]!));
}
