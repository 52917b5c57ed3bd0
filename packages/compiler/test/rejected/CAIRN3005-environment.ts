import { workflow } from "cairnjs";

const region = process.env["REGION"] ?? "eu";
const here = import.meta.url;

export default workflow("sample", async () => [region, here]);
