import { action, currentCall, emit, progress, workflow } from "cairnjs";

/** So many lists within each other. */
const nest = action("deep.nest.v1", async (depth: number) => {
  let value: unknown = null;
  for (let left = depth; left > 0; left--) value = [value];
  await currentCall().stream(value);
  return value;
});

/** Has it wherever a run has values. */
export const nesting = workflow("deep.nesting.v1", async (depth: number) => {
  const value = await nest(depth);
  progress(value);
  emit("deep.nested.v1", value);
  return value;
});

export const minusZero = workflow("deep.minus_zero.v1", async () => -0);
