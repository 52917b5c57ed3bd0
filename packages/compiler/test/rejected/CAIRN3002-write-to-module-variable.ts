import { workflow } from "cairnjs";
import { standard } from "./modules/rates.ts";

let runs = 0;
const fixed = 1;
function helper() {
  runs++;
}

export default workflow("sample", async () => {
  runs += 1;
  fixed = 2;
  standard = 3;
  [runs] = [4];
  for (runs of [1]) helper();
  helper = helper;
});
