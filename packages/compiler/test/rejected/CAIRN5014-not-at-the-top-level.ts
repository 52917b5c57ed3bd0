import * as cairn from "cairnjs";
import { workflow } from "cairnjs";

const body = async () => 1;
const memo = <T>(value: T): T => value;

export const found = workflow("found", body) satisfies unknown;
export const table = { ship: workflow("orders.ship", body) };
export const list = [workflow("in list", body)];
export class Flows {
  static ship = workflow("static", body);
  cancel = cairn.workflow("field", body);
}
export let late: unknown;
late = workflow("late", body);
if (list.length > 0) late = workflow("in if", body);
export const chosen = list.length > 0 ? workflow("a", body) : workflow("b", body);
export const [taken] = [workflow("taken", body)];
export const wrapped = memo(workflow("wrapped", body));
export const tagged = workflow("tagged", body).with({ tags: ["x"] });
workflow("bare", body);
export namespace Orders {
  export const ship = workflow("in namespace", body);
}
export default { body: workflow("default", body) };
