import { createCairn } from "@cairnjs/control-plane";
import { action, workflow } from "cairnjs";
const add = action("bench.add.v1", async (a: number, b: number) => a + b);
const sums = workflow("bench.sums.v1", async (n: number) => {
  let sum = 0;
  for (let i = 0; i < n; i++) sum = await add(sum, i);
  return sum;
});
const cairn = await createCairn({
  databaseUrl: "postgres://postgres@127.0.0.1:5544/t3",
  concurrency: 1000,
  runloops: Number(process.env.RL ?? 1),
});
for (let k = 0; k < 5; k++) {
  const t = performance.now();
  const runs = await Promise.all(Array.from({ length: 2000 }, () => cairn.start(sums, 5)));
  const t1 = performance.now();
  await Promise.all(runs.map((r) => r.result()));
  const ms = performance.now() - t;
  console.log("starts", (t1 - t).toFixed(0), "total", ms.toFixed(0), ((10000 / ms) * 1000).toFixed(0), "steps/s");
}
await cairn.close();
