import { action, mapLimit, progress, workflow } from "cairnjs";

const listFiles = action("listFiles", async (folder: string) => [
  `${folder}/a.txt`,
  `${folder}/b.txt`,
  `${folder}/c.txt`,
  `${folder}/d.txt`,
  `${folder}/e.txt`,
]);
const readFile = action("readFile", async (path: string) => {
  const texts: Record<string, string> = {
    "docs/a.txt": "the quick brown fox jumps over the lazy dog",
    "docs/b.txt": "The Dog barks; the fox runs.\nA dog's life.",
    "docs/c.txt": "",
    "docs/d.txt": "naïve café — Ünïcode ÜNÏCODE, 42 times 42",
  };
  if (!(path in texts)) throw new RangeError(`§${path} does not exist`);
  return new TextEncoder().encode(texts[path]);
});

type Counts = Map<string, number>;

function countWords(bytes: Uint8Array): Counts {
  const counts: Counts = new Map();
  const text = new TextDecoder().decode(bytes).normalize("NFC").toLowerCase();
  for (const [word] of text.matchAll(/[\p{L}\p{N}']+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function merge(into: Counts, from: Counts): Counts {
  from.forEach((count, word) => into.set(word, (into.get(word) ?? 0) + count));
  return into;
}

export const input = { folder: "docs", parallel: 2, top: 6 };

export default workflow(
  "mapReduce",
  async ({ folder, parallel, top }: { folder: string; parallel: number; top: number }) => {
    const files = await listFiles(folder);
    let done = 0;
    const failed: { file: string; error: unknown }[] = [];
    const partial = await mapLimit(files, parallel, async (file, index) => {
      try {
        const counts = countWords(await readFile(file));
        console.log(index, file, counts.size);
        return counts;
      } catch (error) {
        failed.push({ file, error });
        return null;
      } finally {
        progress({ done: ++done, of: files.length });
      }
    });
    const total = partial
      .filter((counts): counts is Counts => counts !== null)
      .reduce(merge, new Map<string, number>());
    const ranked = [...total].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, top);
    const longest = [...total.keys()].toSorted((a, b) => b.length - a.length || (a > b ? 1 : -1)).at(0);
    return { ranked: Object.fromEntries(ranked), longest, words: total.size, failed };
  },
);
