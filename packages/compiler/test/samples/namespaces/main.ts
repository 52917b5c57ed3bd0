import { workflow } from "cairnjs";
import * as lib from "./lib.ts";

export default workflow("samples.namespaces", async () => {
  return [lib.deep.RATE, (lib.deep as any).RATE, (lib as any).deep["double"](lib.deep.Size.Large)];
});
