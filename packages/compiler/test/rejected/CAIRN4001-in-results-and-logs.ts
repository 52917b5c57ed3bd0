import { action, emit, progress, workflow } from "cairnjs";

const charge = action("charge", async (cents: number) => cents);

export const list = workflow("list", async (items: number[]) => items.map(charge));
export const object = workflow("object", async () => ({ first: charge(1), second: await charge(2) }));

export default workflow("sample", async (items: number[]) => {
  console.log("charged", charge(1));
  emit("charged", charge(2));
  progress(items.map(charge));
  // Whoever calls this may await what is in it.
  const start = () => {
    return [charge(3)];
  };
  await Promise.all(start());
  if (items.length > 5) return charge(4);
  return [charge(5), await charge(6), "done"];
});
