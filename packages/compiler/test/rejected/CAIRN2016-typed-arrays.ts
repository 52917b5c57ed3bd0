import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  return [new Float64Array(2), new ArrayBuffer(8), DataView, new Uint8Array(1)];
});
