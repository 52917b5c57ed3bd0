import { sleep, workflow } from "cairnjs";

export default workflow("users.remind", async () => {
  sleep("3 days");
  return "reminded";
});
