import { action, workflow } from "cairnjs";

const findUser = action("users.find", async (id: string) => ({ id }));
const sendMail = action("mail.send", async (user: { id: string }) => user.id);

export default workflow("users.mail", async (id: string) => {
  return await sendMail(findUser(id));
});
