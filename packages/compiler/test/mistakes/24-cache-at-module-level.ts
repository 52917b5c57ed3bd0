import { action, workflow } from "cairnjs";

const load = action("users.load", async (id: string) => ({ id }));
const cache = new Map<string, { id: string }>();

export default workflow("users.get", async (id: string) => {
  if (!cache.has(id)) cache.set(id, await load(id));
  return cache.get(id);
});
