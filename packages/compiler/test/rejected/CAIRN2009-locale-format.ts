import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  const { toLocaleUpperCase } = "x";
  return [
    new Date(0).toLocaleString(),
    new Date(0).toLocaleDateString("en"),
    (5).toLocaleString(),
    "x".toLocaleLowerCase(),
    input["toLocaleTimeString"](),
    toLocaleUpperCase,
    Date.prototype.toLocaleString,
  ];
});
