import { action, currentCall, workflow } from "cairnjs";

const notes = action("logged.notes.v1", { retry: { attempts: 2, baseMs: 1 } }, async (text: string) => {
  const { log, attempt } = currentCall();
  log.info(text, { length: text.length });
  if (attempt === 1) throw new Error("once more");
});

export const noting = workflow("logged.noting.v1", async (text: string) => notes(text));
