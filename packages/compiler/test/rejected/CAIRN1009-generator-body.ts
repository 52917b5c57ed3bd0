import { workflow } from "cairnjs";

export const first = workflow("first", async function* () {
  yield 1;
});

export const second = workflow("second", function* pages() {
  yield 1;
});
