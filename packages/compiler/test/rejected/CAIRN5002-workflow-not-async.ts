import { workflow } from "cairnjs";

export const other = workflow("other", { version: "1" }, function () {
  return 1;
});

function later() {
  return Promise.resolve(1);
}

export const named = workflow("named", later);

export default workflow("sample", () => 1);
