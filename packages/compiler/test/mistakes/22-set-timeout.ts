import { workflow } from "cairnjs";

export default workflow("users.remind", async () => {
  await new Promise((resolve) => setTimeout(resolve, 60_000));
  return "reminded";
});
