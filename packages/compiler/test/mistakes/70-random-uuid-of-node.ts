import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { workflow } from "cairnjs";

export default workflow("orders.number", async (prefix: string) => {
  assert(prefix.length > 0);
  return `${prefix}-${randomUUID()}`;
});
