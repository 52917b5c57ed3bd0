import { action, step, workflow } from "cairnjs";

/** What the next release has, and the one before has not. */
const added = action("fleet.added", { retry: { attempts: 1 } }, async (n: number) => n + 1);

export const adding = workflow("fleet.adding.v1", async (n: number) => {
  const more = await added(n);
  return await step("double", async () => more * 2);
});
