import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  class Cart {
    total = 0;
  }
  const Named = class extends Error {};
  function inner() {
    return class {};
  }
  return [new Cart(), Named, inner()];
});
