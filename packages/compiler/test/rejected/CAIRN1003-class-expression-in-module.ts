import { workflow } from "cairnjs";

const Declined = class extends Error {};

export default workflow("sample", async () => {
  throw new Declined("no");
});
