import { action, workflow } from "cairnjs";

const findName = action("users.name", async (id: string) => `user ${id}`);

export default workflow("mail.greet", async (id: string) => {
  return `Hello ${findName(id)}!`;
});
