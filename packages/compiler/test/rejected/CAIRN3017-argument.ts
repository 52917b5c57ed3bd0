import { action, signal, workflow } from "cairnjs";

const use = action("use", async (...values: unknown[]) => values.length);
const helper = (n: number) => n;
const approved = signal("approved");
const child = workflow("child", async (input: unknown) => input);
const PATTERN = /a/;

export default workflow("sample", async (input: { list: number[] }) => {
  const local = async () => 1;
  await use((n: number) => n, helper, local);
  await use.with({ timeout: 5 })(/b/, PATTERN);
  await child(use(1));
  await use(use, approved, child);
  await use(await use(1), helper(1), { a: 1 }, [input]);
  return await Promise.all(input.list.map(use));
});
