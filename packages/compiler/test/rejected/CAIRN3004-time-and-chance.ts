import { workflow } from "cairnjs";

const startedAt = Date.now();
const config = { at: new Date(), id: crypto.randomUUID(), dice: [Math.random()] };
const fixed = new Date(0);
const doubled = [1].map(() => Math.random());
const later = () => Date.now();

export default workflow("sample", async () => [startedAt, config, fixed, doubled, later()]);
