import { workflow } from "cairnjs";

export const spread = workflow("spread", async (...inputs: string[]) => inputs);
export const single = workflow("single", async function (this: void, input: string) {
  return input;
});

async function two(a: string, b: string) {
  return a + b;
}

export const named = workflow("named", two);

export default workflow("sample", async (order: string, customer: string) => order + customer);
