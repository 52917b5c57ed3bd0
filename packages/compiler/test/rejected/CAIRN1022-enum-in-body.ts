import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  enum Size {
    Small,
  }
  const enum Weight {
    Light = 1,
  }
  return [Size.Small, Weight.Light];
});
