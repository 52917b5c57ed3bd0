import { action, workflow } from "cairnjs";

let retries = 3;
var limit = 5;
let charge = action("charge", async () => 1);

export default workflow("sample", async () => {
  await charge();
  return () => retries + limit;
});
