import { action, workflow } from "cairnjs";

const sendMail = action("mail.send", async (to: string) => to);

export default workflow("users.welcome", async (to: string) => {
  sendMail(to);
  return "done";
});
