import { action, workflow } from "cairnjs";

const findUser = action("users.find", async (id: string) => ({ id, email: `${id}@example.com` }));

export default workflow("mail.address", async (id: string) => {
  return findUser(id).email;
});
