import { workflow } from "cairnjs";

let counter = 0;
const rates = await Promise.resolve(1);
const next = (counter += 1);
const previous = counter--;
const logged = console.log("x");

export default workflow("sample", async () => [rates, next, previous, logged]);
