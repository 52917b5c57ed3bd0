import { action, workflow } from "cairnjs";

const hash = action("files.hash", (text: string) => text.length);

export default workflow("files.check", async (text: string) => await hash(text));
