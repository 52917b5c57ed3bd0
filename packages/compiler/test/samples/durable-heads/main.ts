import { action, workflow } from "cairnjs";

const double = action("double", async (n: any): Promise<any> => n);

// Durable calls wherever a loop, a clause or a parameter may have an expression.
export default workflow("samples.durable-heads", async (input: any) => {
  for (const [a = await double(1)] of [[]] as any[]) input.push(a);
  for (const { b = await double(2) } of input) input.push(b);
  for (input[await double(3)] of [5]);
  for ({ a: input.x = await double(4) } of input);
  for (const [c = await double(5)] in { k: 1 }) input.push(c);
  for (let { d = await double(6) } = input; d < (await double(7)); d += await double(8));
  try {
    throw input;
  } catch ({ e = await double(9) }: any) {
    input.push(e);
  }
  const run = async (f: any, g = () => double(10)) => [f, await g()];
  return run(input);
});
