import { createClient, workflow } from "cairnjs";
import * as cairn from "cairnjs";

export default workflow("sample", async () => {
  await cairn.sleep(1);
  return [createClient(), cairn.serve()];
});
