import { workflow } from "cairnjs";

export default workflow("samples.uninitialised", async (input: number) => {
  const later = () => value;
  const { a, b = a, c = () => d, d = 1 } = { a: input } as { a: number; b?: number; c?: () => number; d?: number };
  let value = 1;
  switch (input) {
    case 0:
      let inSwitch = 1;
      break;
    default:
      inSwitch = 2;
  }
  const fixed = 1;
  // @ts-expect-error assignment to a constant is an error of the run too
  if (input > 5) fixed = value;
  const defaults = (x = () => y, y = 2) => x();
  return [later(), b, c(), defaults(), fixed];
});
