import { asyncStatements } from "./async-statements.ts";
import { bindingStatements } from "./binding-statements.ts";
import { edgeStatements } from "./edge-statements.ts";
import { functionStatements } from "./function-statements.ts";
import type { Generator, Production } from "./generator.ts";
import { hazardStatements } from "./hazard-statements.ts";
import { trapStatements } from "./trap-statements.ts";
import { jumpStatements } from "./jump-statements.ts";
import { loopStatements } from "./loop-statements.ts";

const plainStatements: readonly Production[] = [
  { name: "log", weight: 6, write: (g) => g.log(g.any(), g.any()) },
  {
    name: "log values",
    weight: 2,
    write: (g) => g.log(g.expression(g.pick(["array", "object", "map", "set", "date", "error"]))),
  },
  { name: "if", weight: 3, write: (g) => `if (${g.expression("boolean")}) {\n${g.block()}\n}` },
  {
    name: "if else",
    weight: 3,
    write: (g) =>
      `if (${g.any()}) {\n${g.block()}\n} else if (${g.expression("boolean")}) ${g.log()}\nelse {\n${g.block(1)}\n}`,
  },
  { name: "block", weight: 1, write: (g) => `{\n${g.block(2)}\n}` },
  { name: "empty", weight: 1, write: (g) => g.pick([";", "0;", "null;"]) },
  { name: "if nullish", weight: 1, write: (g) => `if (${g.any()} ?? ${g.any()}) ${g.log()}` },
  { name: "expression", weight: 2, write: (g) => `${g.pick(["void", "!", "typeof"])} (${g.any()});` },
  { name: "conditional effect", weight: 1, write: (g) => `${g.expression("boolean")} ? ${effect(g)} : ${effect(g)};` },
  { name: "logical effect", weight: 1, write: (g) => `${g.any()} ${g.pick(["&&", "||", "??"])} ${effect(g)};` },
  { name: "sequence effect", weight: 1, write: (g) => `${effect(g)}, ${effect(g)};` },
  { name: "switch", weight: 3, write: switchStatement },
];

function effect(g: Generator): string {
  return g.log(g.any()).slice(0, -1);
}

function switchStatement(g: Generator): string {
  const type = g.pick(["number", "string", "any"] as const);
  const { inSwitch } = g;
  g.inSwitch = true;
  const cases = g.scoped(() =>
    Array.from({ length: 2 + g.random.below(3) }, (_, index) => {
      const head = index === 1 && g.chance(0.6) ? "default:" : `case ${g.expression(type)}:`;
      const end = g.chance(0.5) ? "break;" : "";
      const body = g.chance(0.8) ? g.lines(1) : "";
      return `${head}\n${body}\n${end}`;
    }),
  );
  g.inSwitch = inSwitch;
  return `switch (${g.expression(type)}) {\n${cases.join("\n")}\n}`;
}

export const statementTable: readonly Production[] = [
  ...plainStatements,
  ...bindingStatements,
  ...loopStatements,
  ...jumpStatements,
  ...functionStatements,
  ...asyncStatements,
  ...edgeStatements,
  ...hazardStatements,
  ...trapStatements,
];

const LEAVES = new Set(["log", "log values", "expression", "declare", "assign", "update", "empty"]);
const leafTable = statementTable.filter(({ name }) => LEAVES.has(name));

export function writeStatement(g: Generator): string {
  return g.choose(g.isFull ? leafTable : statementTable).write(g);
}
