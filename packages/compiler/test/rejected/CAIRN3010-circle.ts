import { workflow } from "cairnjs";
import { far } from "./modules/circle.ts";

const a: number = b;
const b: number = a;
export const own: number = far + 1;

export default workflow("sample", async () => [a, own]);
