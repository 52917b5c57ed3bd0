import { action, workflow } from "cairnjs";

const declare = (kind: string) => action(`mail.${kind}`, async (to: string) => to);
const send = action(`mail.${String(Date.now())}`, async (to: string) => to);
const welcome = declare("welcome");

export default workflow("users.greet", async (to: string) => {
  await send(to);
  return await welcome(to);
});
