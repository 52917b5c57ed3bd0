// Encoding and decoding a run's state, beside what stores plain data: v8.serialize and devalue.
import { deserialize, serialize } from "node:v8";
import { decodeSnapshot, encodeFull } from "@cairnjs/vm";
import { parse, stringify } from "devalue";
import { imageOf, median, start } from "./workflow.mjs";

const source = `
const wait = action("wait", async (n: number) => n);
export default workflow("bench", async (data: unknown) => { await wait(1); return data; });`;

export async function snapshots() {
  const image = imageOf(source);
  const rows = [];
  for (const [label, records, rounds] of [
    ["5 KB", 45, 400],
    ["500 KB", 4_600, 4],
  ]) {
    const data = Array.from({ length: records }, (_, id) => ({
      id,
      name: `customer ${id}`,
      email: `customer${id}@example.com`,
      tags: ["new", "trial"],
      address: { city: "Oslo", zip: String(1000 + (id % 90)) },
    }));
    const { machine } = start(image, JSON.stringify(data));
    const { bytes } = encodeFull(machine);
    const v8Bytes = serialize(data);
    const text = stringify(data);
    const repeat = (work) =>
      median(() => {
        for (let round = 0; round < rounds; round++) work();
      });
    const encode = [() => encodeFull(machine), () => serialize(data), () => stringify(data)].map(repeat);
    const decode = [() => decodeSnapshot(image, [bytes]), () => deserialize(v8Bytes), () => parse(text)].map(repeat);
    const sizes = `${bytes.length}, v8 ${v8Bytes.length}, devalue ${text.length}`;
    rows.push({ label: `${label}: bytes`, value: sizes });
    for (const [verb, [own, v8, devalue]] of [
      ["encode", encode],
      ["decode", decode],
    ]) {
      const value = `v8 ${(v8 / own).toFixed(2)} ×, devalue ${(devalue / own).toFixed(2)} ×`;
      rows.push({
        label: `${label}: ${verb}, ${((own * 1000) / rounds).toFixed(0)} µs`,
        value,
        aim: "both over 1 ×",
        ok: v8 > own && devalue > own,
      });
    }
  }
  return rows;
}
