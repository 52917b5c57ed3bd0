import { action, workflow } from "cairnjs";

const notify = action("users.notify", async (name: string) => name);

export default workflow("users.notifyAll", async (names: string[]) => {
  names.map((name) => notify(name));
  void names.map(notify);
  return "sent";
});
