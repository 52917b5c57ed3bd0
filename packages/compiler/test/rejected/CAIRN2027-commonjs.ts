import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  module.exports = require("./modules/rates.ts");
  return [__dirname, __filename];
});
