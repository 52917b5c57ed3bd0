import { chunk } from "lodash-es";
import * as lodash from "lodash-es";
import day from "dayjs";
import { workflow } from "cairnjs";
import { twice } from "./modules/uses-package.ts";

export default workflow("sample", async () => {
  return [chunk([1], 1), lodash.flatten([]), day(), twice(1)];
});
