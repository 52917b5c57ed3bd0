// Steps per second of a five-action workflow purely in memory: start, five results, end.
import { deliver } from "@cairnjs/vm";
import { imageOf, median, resultOf, start } from "./workflow.mjs";

const source = `
const a = action("a", async (n: number) => n + 1);
export default workflow("bench", async (n: number) => {
  const one = await a(n);
  const two = await a(one);
  const three = await a(two);
  const four = await a(three);
  return await a(four);
});`;
const RUNS = 5_000;

export async function steps() {
  const image = imageOf(source);
  const ms = median(() => {
    for (let run = 0; run < RUNS; run++) {
      let { machine, effects } = start(image, "1");
      for (let at = 1; effects[0].kind === "call"; at++) {
        ({ effects } = deliver(machine, { kind: "result", at, call: effects[0].id, value: String(at + 1) }));
      }
      if (resultOf(effects) !== 6) throw new Error("a wrong result");
    }
  });
  const perSecond = Math.round((RUNS * 5 * 1000) / ms);
  return [
    {
      label: "steps per second, in memory",
      value: perSecond.toLocaleString("en"),
      aim: "200,000",
      ok: perSecond >= 200_000,
    },
  ];
}
