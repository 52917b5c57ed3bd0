import { createHash } from "node:crypto";
import type { Options } from "./options.ts";

export function select(
  paths: readonly string[],
  { filter, shard: [index, count], sample, seed }: Pick<Options, "filter" | "shard" | "sample" | "seed">,
): string[] {
  const wanted = paths.filter((path) => path.includes(filter));
  const chosen = sample > 0 ? sampleOf(wanted, sample, seed) : wanted;
  return chosen.filter((_, at) => at % count === index - 1);
}

/** Whether a test is chosen depends on its path and the seed alone, not on which others there are. */
function sampleOf(paths: readonly string[], size: number, seed: number): string[] {
  const ranks = new Map(paths.map((path) => [path, createHash("sha1").update(`${seed} ${path}`).digest("hex")]));
  const rank = (path: string): string => ranks.get(path)!;
  return [...paths].sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, size);
}
