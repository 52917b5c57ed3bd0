import fs, { createReadStream } from "node:fs";
import { workflow } from "cairnjs";

export default workflow("sample", async (path: string) => [createReadStream(path), fs.createWriteStream(path)]);
