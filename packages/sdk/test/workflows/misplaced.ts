import { action, workflow } from "cairnjs";
import { misuse } from "../misuse.ts";

export const undo = action("misplaced.undo", async () => {});
export const waited = workflow("misplaced.child", async () => "done");
const misplaced = action("misplaced.use", { retry: { attempts: 1 } }, async (use: string) => misuse(use));

/** What an action is told that does what only bodies can. */
export const told = workflow("misplaced.told", async (use: string) => {
  try {
    return `it gave ${String(await misplaced(use))}`;
  } catch (error) {
    return (error as Error).message;
  }
});
