import { readFileSync } from "node:fs";
import { instructions } from "@cairnjs/ir";
import { expect, it } from "vitest";

it("the interpreter's switch has the number and the length of every instruction", () => {
  const source = readFileSync(new URL("../src/machine/interpreter.ts", import.meta.url), "utf8");
  const labels = [...source.matchAll(/case (\d+) \/\* (\w+) \*\/:([\s\S]*?)(?=case \d+ \/\*|default:)/g)];
  expect(labels.map(([, number, name]) => `${number} ${name}`)).toEqual(
    instructions.map(({ name }, number) => `${number} ${name}`),
  );
  for (const [, number, name, body] of labels) {
    const size = 1 + instructions[Number(number)]!.operands.length;
    for (const [, step] of body!.matchAll(/\bat \+= (\d+)/g)) expect(`${name} ${step}`).toBe(`${name} ${size}`);
    for (const [, operand] of body!.matchAll(/code\[at \+ (\d+)\]/g)) expect(Number(operand), name).toBeLessThan(size);
  }
});
