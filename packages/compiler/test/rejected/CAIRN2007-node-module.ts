import { readFile } from "node:fs/promises";
import * as path from "path";
import { workflow } from "cairnjs";

export default workflow("sample", async () => {
  return [await readFile("x"), path.join("a", "b")];
});
