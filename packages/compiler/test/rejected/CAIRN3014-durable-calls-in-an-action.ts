import { action, compensate, emit, mapLimit, progress, runInfo, signal, sleep, step, workflow } from "cairnjs";
import { start } from "./client.ts";

const charge = action("charge", async () => 1);
const approved = signal("approved");
export const child = workflow("child", async () => 1);

const handler = async () => {
  await sleep(5);
  await approved.wait();
  await signal("other").wait();
  return [await child(), await child.start(), await child.with({ id: "x" })?.()];
};

export const table = { byName: action("by name", handler) };

export const inPlace = action("in place", { timeout: "1 s" }, async (id: string) => {
  emit("x", 1);
  progress(0.5);
  compensate(charge);
  const inner = () => (runInfo as () => unknown)();
  await step("inner", async () => 1);
  // What these do is the same everywhere, and what is not called does nothing.
  await mapLimit([1], 1, charge);
  await start(child, id, approved);
  return [inner, await charge()];
});

export default workflow("sample", async () => await inPlace("x"));
