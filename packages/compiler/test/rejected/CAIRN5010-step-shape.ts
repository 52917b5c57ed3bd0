import { step, workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  const work = async () => 1;
  await step("work", work);
  await step(input.name, async () => 1);
  await step("", async () => 1);
  await step("sync", () => 1);
  await step("parameters", async (x) => x);
  await step("missing");
  await step("options", async () => 1, { retry: { attempts: 3 } });
  const alias = step;
  return alias;
});
