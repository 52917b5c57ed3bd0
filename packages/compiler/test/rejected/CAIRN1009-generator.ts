import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  function* pages() {
    yield 1;
    yield* [2];
  }
  const inner = {
    *method() {
      yield 3;
    },
    async *stream() {
      yield 4;
    },
  };
  return [pages, inner, function* () {}];
});
