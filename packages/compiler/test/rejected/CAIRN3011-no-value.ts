import { workflow } from "cairnjs";

let limit: number;
var other;

export default workflow("sample", async () => [limit, other]);
