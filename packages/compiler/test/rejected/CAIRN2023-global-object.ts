import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  return [globalThis.Math, global, window, self, globalThis.fetch("x"), global.setTimeout, globalThis.mine, globalThis["process"].env];
});
