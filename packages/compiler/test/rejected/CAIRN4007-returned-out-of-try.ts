import { action, sleep, workflow } from "cairnjs";

const charge = action("charge", async (cents: number) => cents);

async function helper() {
  try {
    return charge(1);
  } finally {
    console.log("done");
  }
}

export default workflow("sample", async (cents: number) => {
  try {
    if (cents > 5) return cents > 9 ? helper() : charge(cents);
    const inner = () => {
      return sleep(1);
    };
    await inner();
    return await charge(cents);
  } catch {
    return charge(0);
  }
});
