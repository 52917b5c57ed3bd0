import { action, workflow } from "cairnjs";

const sendMail = action("mail.send", async (to: string) => to);
const sendLetter = action("mail.send", async (to: string) => `letter to ${to}`);

export default workflow("users.tell", async (to: string) => [await sendMail(to), await sendLetter(to)]);
