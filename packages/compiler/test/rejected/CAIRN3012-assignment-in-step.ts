import { step, workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  let count = 0;
  let rest = [];
  await step("count", async () => {
    count += 1;
    [count, ...rest] = [1];
    let own = 0;
    own++;
  });
  return [count, rest];
});
