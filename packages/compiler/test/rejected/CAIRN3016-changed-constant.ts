import { action, workflow } from "cairnjs";
import { shared } from "./modules/shared.ts";

const handlers: Record<string, () => number> = {};
handlers["one"] = () => 1;
const list = [1];
list.push(2);
const settings = { a: 1 };
Object.assign(settings, { a: 2 });
Object.freeze(settings);
const cache = new Map<string, number>();
class Declined extends Error {}
Declined.prototype.name = "Declined";
shared.extra = 1;
function helper() {
  return 1;
}
helper = () => 2;
(handlers as any)!.two = helper;
const unused: number[] = [];
unused.push(1);
const store = { set: action("set", async () => 1), push: () => 1 };

export const remember = action("remember", async (key: string) => {
  cache.set(key, 1);
});

export default workflow("sample", async () => {
  await store.set();
  list.push(store.push());
  return [handlers, list, settings, cache, new Declined(), shared, helper()];
});
