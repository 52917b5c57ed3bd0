import { action, currentCall, workflow } from "cairnjs";

const write = action("poems.write", async (words: readonly string[]) => {
  const { stream } = currentCall();
  for (const word of words) await stream({ word });
  return words.join(" ");
});

export const poem = workflow("poems.poem.v1", async (words: readonly string[]) => await write(words));
