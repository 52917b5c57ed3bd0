import { workflow } from "cairnjs";

export default workflow("files.path", async (name: string) => {
  const path = require("node:path");
  return path.join(__dirname, name);
});
