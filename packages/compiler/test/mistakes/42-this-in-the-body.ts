import { workflow } from "cairnjs";

export default workflow("jobs.state", async function (this: any, input: string) {
  this.last = input;
  return this.last;
});
