import { action, workflow } from "cairnjs";

const sendMail = action("mail.send", async (to: string) => to);

export default workflow("mail.all", async (people: string[]) => {
  people.forEach(async (to) => {
    await sendMail(to);
  });
});
