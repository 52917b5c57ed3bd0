import { action, workflow } from "cairnjs";

export default workflow("mail.send", async (to: string) => {
  const send = action("mail.deliver", async () => `sent to ${to}`);
  return await send();
});
