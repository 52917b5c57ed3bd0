import { action, workflow } from "cairnjs";

const charge = action("charge", async () => 1);
function Helper() {}

export default workflow("sample", async (input: any) => {
  function Item() {}
  const Arrow = () => 1;
  const Kind = input.strict ? TypeError : RangeError;
  return [new Item(), new Arrow(), new Helper(), new charge(), new (function () {})(), new Kind("accepted")];
});
