import { action, workflow } from "cairnjs";

const charge = action("charge", async (n: number) => n);
async function helper() {}

export default workflow("sample", async (input: any) => {
  input.items.forEach(async (item: number) => {
    await charge(item);
  });
  input.items.forEach((item: number) => charge(item));
  input.items?.forEach(charge);
  input.items.forEach(helper);
  input.items.forEach((item: number) => console.log(item));
});
