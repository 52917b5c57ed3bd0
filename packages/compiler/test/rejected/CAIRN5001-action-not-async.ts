import { action, workflow } from "cairnjs";
import { sync } from "./modules/actions.ts";

function later() {
  return 1;
}
export const greet = action("greet", (name: string) => name);
export const named = action("named", { timeout: 5 }, later);
export const tools = { search: action("search", () => 1) };
export const threaded = action("threaded", { isolate: "thread" }, (n: number) => n ** 2);

export default workflow("sample", async () => await sync());
