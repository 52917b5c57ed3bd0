import { action, mapLimit, step, workflow } from "cairnjs";

const FILES: Record<string, string> = {
  "iliad.txt": "sing goddess the anger of peleus son achilleus",
  "odyssey.txt": "tell me muse of the man of many ways",
  "aeneid.txt": "i sing of arms and the man",
};

const list = action("files.list", async () => Object.keys(FILES));
const read = action("files.read", async (name: string) => FILES[name] ?? "");

/** Words of one file, in a run of its own. */
export const countWords = workflow("words.count", async (name: string) => {
  const counts = new Map<string, number>();
  for (const word of (await read(name)).split(" ")) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
});

export default workflow("words.top", async ({ top }: { top: number }) => {
  const names = await list();
  const total = new Map<string, number>();
  for (const counts of await mapLimit(names, 2, countWords)) {
    for (const [word, count] of counts) total.set(word, (total.get(word) ?? 0) + count);
  }
  const words = [...total].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, top);
  const table = await step("format", async () => words.map(([word, count]) => `${word}: ${count}`).join(", "));
  return { files: names.length, table };
});

export const input = { top: 3 };
