import { action, workflow } from "cairnjs";

const TRIES = 2.5;
const shared = { retry: { attempts: TRIES, baseMs: -1 } };

export const a = action("a", { retry: { attempts: 0 } }, async () => 1);
export const b = action("b", { timeout: "5 parsecs", retries: 3 }, async () => 1);
export const c = action("c", shared, async () => 1);
export const fine = action("fine", { timeout: "1.5 h", retry: { attempts: 1, capMs: 0 } }, async () => 1);

export const child = workflow("child", { tag: ["x"] }, async () => 1);

export default workflow("sample", async () => {
  await a.with({ timeout: -1 })();
  await child.start(undefined, { timeOut: 5 });
  return { with: (x: { timeout: number }) => x }.with({ timeout: -1 });
});
