import { workflow } from "cairnjs";

export default workflow("users.sort", async (names: string[]) => {
  return names.sort((a, b) => a.localeCompare(b));
});
