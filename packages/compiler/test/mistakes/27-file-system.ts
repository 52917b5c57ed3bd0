import { readFile } from "node:fs/promises";
import { workflow } from "cairnjs";

export default workflow("rates.read", async () => JSON.parse(await readFile("rates.json", "utf8")));
