import { workflow } from "cairnjs";

let counter = 0;

export default workflow("jobs.count", async () => {
  counter += 1;
  return counter;
});
