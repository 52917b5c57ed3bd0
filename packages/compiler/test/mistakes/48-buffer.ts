import { workflow } from "cairnjs";

export default workflow("tokens.encode", async (text: string) => Buffer.from(text).toString("base64"));
