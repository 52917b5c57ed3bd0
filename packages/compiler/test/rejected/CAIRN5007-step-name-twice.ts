import { step, workflow } from "cairnjs";

async function helper() {
  return await step("log", async () => 3);
}

export default workflow("sample", async () => {
  await step("log", async () => 1);
  await step(`log`, async () => 2);
  await helper();
});
