import { action, workflow } from "cairnjs";

const notify = action("users.notify", async (name: string) => name);

export default workflow("users.notifyAll", async (names: string[]) => {
  await names.map(async (name) => {
    await notify(name);
  });
  await names.map(notify);
  const sent = Array.from(names, (name) => notify(name));
  await sent;
  return await [notify("first"), notify("second")];
});
