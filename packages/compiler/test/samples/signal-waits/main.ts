import { action, signal, workflow } from "cairnjs";

const remind = action("remind", async (who: string) => who);
const withdrawn = signal<string>("withdrawn");

/** Each wait is a node, and the ways that meet again without a node between are one edge. */
export default workflow("approval", async ({ who }: { who: string }) => {
  const approved = signal<boolean>(`approved.${who}`);
  try {
    await approved.wait({ timeout: "1 day" });
  } catch {
    await remind(who);
    await (approved as { wait(): Promise<boolean> }).wait();
  }
  const text = who === "" ? "nobody" : who;
  await withdrawn.wait();
  return [text, await withdrawn.wait()];
});

/** A signal that goes elsewhere keeps a node of its own. */
export const passed = workflow("passed", async () => {
  const answer = signal<number>("answer");
  const first = await answer.wait();
  return [first, await take(answer), await signal("other").wait()];
});

/** The wait stands before the declaration. */
export const early = workflow("early", async () => {
  const later = async () => answer.wait();
  const answer = signal<number>("answer");
  return later();
});

async function take(from: { wait(): Promise<number> }): Promise<number> {
  return from.wait();
}
