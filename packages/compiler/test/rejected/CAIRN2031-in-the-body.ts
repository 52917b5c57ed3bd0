import { step, workflow } from "cairnjs";

export default workflow("sample", async () => {
  declare const region: string;
  declare function load(): number;
  const later = () => region;
  // A step runs where the value may be.
  await step("read", async () => region);
  return [region, load(), later()];
});
