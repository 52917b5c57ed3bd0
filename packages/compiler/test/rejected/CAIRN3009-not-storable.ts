import { workflow } from "cairnjs";

const pages = [1, 2].values();
const promise = Promise.resolve(1);
const table = { p: new Promise(() => {}), keys: new Map().keys() };
const used = [...new Map().keys()];

export default workflow("sample", async () => [pages, promise, table, used]);
