import { action, workflow } from "cairnjs";

/** Its handler is in worker.py: here are its name and its types. */
const measure = action("media.measure", async (_text: string): Promise<{ letters: number; words: number }> => {
  throw new Error("media.measure is an action in Python");
});

export const publish = workflow("media.publish.v1", async (text: string) => {
  const { words } = await measure(text);
  return words > 3 ? "an article" : "a note";
});
