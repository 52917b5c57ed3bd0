import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  Math.TAU = 6.28;
  Array.prototype.last = () => 1;
  delete JSON.parse;
  [Object.x] = [1];
  undefined = 1;
  Math = 2;
});

Object.defineProperty(Array.prototype, "first", { value: 1 });
String.prototype.shout = () => "!";
