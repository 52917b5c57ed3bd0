import { createHash } from "node:crypto";
import { workflow } from "cairnjs";

export default workflow("tokens.hash", async (text: string) => createHash("sha256").update(text).digest("hex"));
