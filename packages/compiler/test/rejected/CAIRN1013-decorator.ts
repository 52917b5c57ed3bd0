import { workflow } from "cairnjs";

function mark(target: unknown, context: unknown) {
  console.log(target, context);
}

@mark
class Declined extends Error {
  @mark code = 1;
}

export default workflow("sample", async () => {
  throw new Declined("no");
});
