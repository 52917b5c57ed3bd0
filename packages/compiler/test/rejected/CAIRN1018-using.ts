import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  using lock = input.lock;
  await using other = input.other;
  for (using each of input.locks) console.log(each);
  return [lock, other];
});
