import { createHash } from "node:crypto";
import { Op } from "./opcodes.ts";
import { type Program, PROGRAM_FORMAT, SEMANTICS } from "./program.ts";

/** Registers of the body: its input, and what it works with. */
const INPUT = 0;
const WORK = 1;

/**
 * The program of a job: one call of an action with the input, whose result is the run's. What the compiler makes of
 * `async (input) => act(input)`.
 */
export function jobProgram(action: string): Program {
  return {
    format: PROGRAM_FORMAT,
    semantics: SEMANTICS,
    name: action,
    functions: [
      {
        name: "job",
        length: 1,
        parameters: 1,
        rest: false,
        registers: 2,
        async: true,
        kind: "arrow",
        captures: [],
        code: [Op.Durable, WORK, 0, Op.Call, WORK, WORK, -1, INPUT, 1, Op.Return, WORK],
        handlers: [],
        texts: [],
      },
    ],
    constants: [],
    intrinsics: [],
    durables: [{ kind: "action", name: action, node: 0 }],
    classes: [],
    globals: [],
    init: -1,
    entry: 0,
    nodes: [{ id: "job", kind: "action", name: action, within: [], function: 0 }],
    edges: [
      { from: -1, to: 0 },
      { from: 0, to: -1 },
    ],
    steps: [],
    debug: {
      files: [action],
      lines: [[0]],
      functions: [{ file: 0, spans: [], variables: [] }],
      sourceHash: createHash("sha256").update(action).digest("hex"),
    },
  };
}
