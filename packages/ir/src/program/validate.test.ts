import { assert, infiniteStream, integer, jsonValue, nat, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { listProgram } from "./listing.ts";
import { Op, instructions } from "./opcodes.ts";
import type { FunctionCode, Prelude, Program } from "./program.ts";
import { InvalidProgram, validatePrelude, validateProgram } from "./validate.ts";

const SEED = 20_261_115;

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

function fn(name: string, registers: number, code: number[], more: Partial<FunctionCode> = {}): FunctionCode {
  const shape = { name, length: 0, parameters: 0, rest: false, registers, async: false, kind: "function" } as const;
  return { ...shape, captures: [], code, handlers: [], texts: [], ...more };
}

const init = fn("", 2, [Op.Const, 0, 1, Op.SetGlobal, 0, 0, Op.Class, 1, 0, Op.SetGlobal, 1, 1, Op.ReturnUndefined]);
const bodyCode = [
  [Op.CellOf, 1, 0, Op.Function, 2, 2, Op.Durable, 3, 0],
  [Op.Call, 4, 3, -1, 0, 1, Op.Await, 4, 4, Op.Get, 4, 4, 0, Op.JumpFalse, 4, 27],
  [Op.Return, 4, Op.ReturnUndefined],
].flat();
const body = fn("ship", 5, bodyCode, {
  async: true,
  parameters: 1,
  length: 1,
  handlers: [{ start: 6, end: 25, target: 27, register: 4 }],
  texts: [[9, 0]],
});
const inner = fn("inner", 1, [Op.LoadOuter, 0, 0, Op.Return, 0], {
  kind: "arrow",
  captures: [{ from: "register", index: 1 }],
});
const declined = fn("Declined", 1, [Op.Super, 0, 0, 0, Op.Return, 0], { kind: "constructor" });

/** Something of every table: a global, a class, a closure, a handler, a durable call. */
const variable = { name: "order", in: "register", index: 0, start: 0, end: 3, ready: 12 } as const;

const sample: Program = {
  format: 1,
  semantics: 1,
  name: "orders.ship",
  functions: [init, body, inner, declined],
  constants: ["id", { bigint: "-12" }, { number: "-0" }, 1.5],
  intrinsics: ["Math"],
  durables: [{ kind: "action", name: "charge", node: 0 }],
  classes: [{ name: "Declined", parent: { intrinsic: "Error" }, constructorFunction: 3 }],
  globals: [{ name: "ship.ts#RATE" }, { name: "ship.ts#Declined" }],
  init: 0,
  entry: 1,
  nodes: [{ id: "ship/charge", kind: "action", name: "charge", function: 1, within: ["try"] }],
  edges: [
    { from: 0, to: 0, label: "loop" },
    { from: -2, to: 0 },
    { from: 0, to: -2 },
    { from: -2, to: -2, label: "else" },
  ],
  steps: [{ action: "ship/label", captures: ["order"], file: "ship.ts", start: 3, end: 9 }],
  debug: {
    files: ["ship.ts"],
    lines: [[10, 12, 8]],
    functions: [0, 1, 2, 3].map(() => ({ file: 0, spans: [0, 12, 3, 20], variables: [variable] })),
    sourceHash: "abc",
  },
};

const preludeOf = (code: number[]): Prelude => ({
  semantics: 1,
  functions: [fn("map", 1, code)],
  constants: [],
  intrinsics: [],
  hosts: ["toObject"],
  exports: { Array_prototype_map: 0 },
});

/** What is said about data, or "accepted". Any other error than `InvalidProgram` fails the test. */
function verdict(program: unknown, validate: (program: unknown) => unknown = validateProgram): string {
  try {
    validate(program);
    return "accepted";
  } catch (error) {
    if (error instanceof InvalidProgram) return error.message;
    throw error;
  }
}

/** The verdict on the sample with the field at a path such as `functions.1.async` replaced, or removed. */
function replaced(path: string, value: unknown): string {
  const program = structuredClone(sample);
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const holder = keys.reduce<object>((object, key) => Reflect.get(object, key) as object, program);
  if (value === undefined) Reflect.deleteProperty(holder, last);
  else Reflect.set(holder, last, value);
  return verdict(program);
}

/** The verdict on the sample whose function has this code, no handlers, and more registers. */
function coded(index: number, code: number[], more: Partial<FunctionCode> = {}): string {
  const functions = sample.functions.map((old, at) =>
    at === index ? { ...old, handlers: [], texts: [], code, ...more } : old,
  );
  const debug = { ...sample.debug, functions: functions.map(() => ({ file: 0, spans: [], variables: [] })) };
  return verdict({ ...sample, functions, debug });
}

describe("validateProgram", () => {
  it("accepts a good program and returns it", () => {
    expect(validateProgram(sample)).toBe(sample);
    expect(validateProgram(JSON.parse(JSON.stringify(sample)))).toEqual(sample);
  });

  it("says which field is wrong", () => {
    expect(replaced("extra", 1)).toBe('unknown field "extra"');
    expect(replaced("nodes", undefined)).toBe("field nodes is missing");
    expect(replaced("format", 2)).toBe("format: is 2, allowed are 1 to 1");
    expect(replaced("semantics", 2)).toContain("semantics");
    expect(replaced("name", "")).toBe("name: is empty");
    expect(replaced("functions.2.captures.0.index", 5)).toContain("captures register 5");
    expect(replaced("functions.2.captures.0.from", "outer")).toContain("captures outer 1");
    expect(replaced("functions.1.handlers.0.start", 7)).toContain("handlers[0].start");
    expect(replaced("functions.1.handlers.0.end", 6)).toContain("handlers[0].end");
    expect(replaced("functions.1.handlers.0.register", 5)).toContain("handlers[0].register");
    expect(replaced("functions.1.async", false)).toContain("not async");
    expect(replaced("functions.1.parameters", 2)).toContain("more than one parameter");
    expect(replaced("functions.1.registers", 65_536)).toContain("registers");
    expect(replaced("entry", 0)).toContain("entry");
    expect(replaced("init", -1)).toContain("initialiser only");
    expect(replaced("nodes.1", sample.nodes[0])).toContain("nodes[1].id");
    expect(replaced("durables.0.kind", "sleep")).toContain("another kind");
    expect(replaced("classes.0.constructorFunction", 2)).toContain("not a constructor");
    expect(replaced("edges.0.to", 1)).toContain("edges[0].to");
    expect(replaced("edges.0.from", -5)).toContain("edges[0].from");
    expect(replaced("edges.1", { from: -2, to: -1 })).toContain("edges[1].to: is the end of another function");
    expect(replaced("edges.0.label", "undo")).toContain("edges[0].label: is not one of a compensation");
    expect(replaced("constants.0", -0)).toContain("constants[0]");
    expect(replaced("constants.0", { bigint: "1e5" })).toContain("constants[0].bigint");
    expect(replaced("debug.functions.3", undefined)).toContain("debug.functions");
    expect(replaced("debug.functions.0.spans", [1])).toContain("spans");
    expect(replaced("debug.lines.0", undefined)).toContain("debug.lines");
    expect(replaced("debug.lines.0.1", -1)).toContain("debug.lines[0][1]");
    expect(replaced("debug.functions.0.variables.0.in", "nowhere")).toContain("variables[0].in");
    expect(replaced("debug.functions.0.variables.0.end", 1_000)).toContain("variables[0].end");
    expect(replaced("debug.functions.0.variables.0.index", -1)).toContain("variables[0].index");
  });

  it("says which instruction is wrong", () => {
    expect(coded(1, [])).toBe("functions[1].code: runs past its last instruction");
    expect(coded(1, [Op.Undefined, 0])).toBe("functions[1].code: runs past its last instruction");
    expect(coded(1, [Op.Return, 5])).toBe("functions[1].code[1]: is 5, allowed are 0 to 4");
    expect(coded(1, [Op.Return])).toBe("functions[1].code[1]: is not an integer");
    expect(coded(1, [instructions.length])).toContain("functions[1].code[0]");
    expect(coded(1, [Op.Jump, 1])).toBe("functions[1].code[1]: jumps to 1, which is not an instruction");
    expect(coded(1, [Op.Call, 0, 0, -2, 0, 0, Op.Return, 0])).toContain("functions[1].code[3]");
    expect(coded(1, [Op.Call, 0, 0, -1, 3, 3, Op.Return, 0])).toContain("functions[1].code[5]");
    expect(coded(1, [Op.LoadOuter, 0, 0, Op.Return, 0])).toContain("functions[1].code[2]");
    expect(coded(1, [Op.Get, 0, 0, 1, Op.Return, 0])).toContain("is not a string constant");
    expect(coded(1, [Op.Host, 0, 0, 0, 0, Op.Return, 0])).toContain("functions[1].code[2]");
    expect(coded(1, [Op.SetGlobal, 0, 0, Op.Return, 0])).toContain("initialiser only");
    expect(coded(1, [Op.Super, 0, 0, 0, Op.Return, 0])).toContain("class constructor only");
    expect(coded(1, [Op.Function, 0, 3, Op.Return, 0])).toContain("class constructor");
    expect(coded(1, [Op.Int, 0, 2 ** 31, Op.Return, 0])).toContain("functions[1].code[2]");
    expect(coded(0, [Op.SetGlobal, 0, 0, Op.ReturnUndefined])).toBe("init: sets 1 of 2 globals");
    expect(coded(2, [Op.Await, 0, 0, Op.Return, 0])).toContain("not async");
  });

  it("keeps cells and cursors apart from values, on every path", () => {
    const noCell = "does not surely hold a cell";
    const noValue = "does not surely hold a value";
    expect(coded(1, [Op.LoadCell, 1, 0, Op.Return, 1])).toContain(noCell);
    expect(coded(1, [Op.Cell, 1, Op.Return, 1])).toContain(noValue);
    expect(coded(1, [Op.Cell, 1, Op.Move, 2, 1, Op.LoadCell, 3, 2, Op.Return, 3])).toBe("accepted");
    expect(coded(1, [Op.Cell, 1, Op.Array, 0, Op.Push, 0, 1, Op.Return, 0])).toContain(noValue);
    expect(coded(1, [Op.Function, 2, 2, Op.Return, 2])).toContain(noCell);
    expect(coded(1, [Op.Next, 1, 0, 0, Op.Return, 1])).toContain("does not surely hold a cursor");
    expect(coded(1, [Op.ForIn, 1, 0, Op.Next, 2, 1, 0, Op.Return, 2])).toContain("does not surely hold a cursor");
    expect(coded(1, [Op.Iterate, 1, 0, Op.Next, 2, 1, 9, Op.Return, 2, Op.Return, 0])).toBe("accepted");
    expect(coded(1, [Op.Iterate, 1, 0, Op.Return, 1])).toContain(noValue);
    // One path leaves a cell, the other a value: neither may be read where they meet, both may be replaced.
    const either = [Op.JumpTrue, 0, 5, Op.Cell, 1];
    expect(coded(1, [...either, Op.Return, 1])).toContain(noValue);
    expect(coded(1, [...either, Op.LoadCell, 0, 1, Op.Return, 0])).toContain(noCell);
    expect(coded(1, [...either, Op.Null, 1, Op.Return, 1])).toBe("accepted");
    // Round a loop: a value at first, a cell from the second time on.
    expect(coded(1, [Op.ToNumber, 2, 1, Op.Cell, 1, Op.Jump, 0])).toContain(noValue);
    // An error may arrive after the register became a cell, or before.
    const handlers = [{ start: 0, end: 5, target: 5, register: 4 }];
    const guarded = [Op.Cell, 1, Op.ToNumber, 2, 0];
    expect(coded(1, [...guarded, Op.Return, 1], { handlers })).toContain(noValue);
    expect(coded(1, [...guarded, Op.LoadCell, 0, 1, Op.Return, 0], { handlers })).toContain(noCell);
    expect(coded(1, [...guarded, Op.Return, 4], { handlers })).toBe("accepted");
  });

  it("refuses what only looks like a program, without reading inherited fields", () => {
    const polluted = JSON.parse(JSON.stringify(sample).replace('"format":1', '"__proto__":{"format":1}')) as unknown;
    const inherited: unknown = Object.create(sample);
    for (const value of [polluted, inherited, undefined, null, 1, "x", [], () => 1, new Map(), new Date()]) {
      expect(verdict(value)).not.toBe("accepted");
    }
  });

  it("refuses huge tables and code that is costly to verify, at once", () => {
    const started = performance.now();
    const huge: unknown[] = [];
    huge.length = 2 ** 32 - 1;
    for (const field of ["functions", "constants", "intrinsics", "nodes", "edges", "steps", "globals", "classes"]) {
      expect(replaced(field, "") === "accepted" || verdict({ ...sample, [field]: huge }) === "accepted").toBe(false);
    }
    expect(replaced("constants.0", "x".repeat(16_000_001))).toContain("characters");
    const jumps = Array.from({ length: 100_000 }, (_, index) => [Op.JumpTrue, 0, 3 * index]).flat();
    expect(coded(1, [...jumps, Op.Return, 0], { registers: 65_535 })).toContain("too many paths");
    expect(performance.now() - started).toBeLessThan(6_000);
  });

  it("answers any JSON with InvalidProgram or a program whose operands are all in bounds", () => {
    assert(
      property(jsonValue(), (value) => verdict(value) !== "accepted"),
      { seed: SEED, numRuns: 500 },
    );
    let accepted = 0;
    const arbitrary = [infiniteStream(nat()), jsonValue({ maxDepth: 1 }), integer({ min: 1, max: 3 })] as const;
    assert(
      property(...arbitrary, (numbers, other, times) => {
        const next = (): number => numbers.next().value as number;
        const changed = JSON.parse(JSON.stringify(sample)) as Json;
        for (let i = 0; i < times; i += 1) mutate(changed, next, other as Json);
        if (verdict(changed) !== "accepted") return;
        accepted += 1;
        const program = changed as unknown as Program;
        expect(program.functions.flatMap((code) => outOfBounds(code, program))).toEqual([]);
        expect(listProgram(program)).not.toContain(" ?");
      }),
      { seed: SEED, numRuns: 6_000 },
    );
    expect(accepted).toBeGreaterThan(200);
  });
});

/** Replaces, removes or moves by a little something at a random place. */
function mutate(root: Json, next: () => number, other: Json): void {
  let holder = root;
  while (holder !== null && typeof holder === "object") {
    const keys = Object.keys(holder);
    const key = keys[next() % Math.max(1, keys.length)];
    if (key === undefined) return;
    const slots = holder as Record<string, Json>;
    const value: Json = slots[key] ?? null;
    if (value !== null && typeof value === "object" && next() % 8 !== 0) {
      holder = value;
      continue;
    }
    if (typeof value === "number" && next() % 4 !== 0) slots[key] = value + ((next() % 7) - 3);
    else if (next() % 3 === 0) Reflect.deleteProperty(slots, key);
    else slots[key] = other;
    return;
  }
}

/** Written apart from the validator: walks the code as the machine would and looks everything up. */
function outOfBounds(code: FunctionCode, program: Program): string[] {
  const wrong: string[] = [];
  const starts = new Set<number>();
  let last = "";
  for (let at = 0; at < code.code.length;) {
    const { name, operands } = instructions[code.code[at] ?? -1] ?? { name: "none", operands: [] };
    starts.add(at);
    last = name;
    at += 1 + operands.length;
  }
  if (!["Jump", "Return", "ReturnUndefined", "Throw", "ThrowConstAssign"].includes(last))
    wrong.push(`ends with ${last}`);
  for (const at of starts) {
    for (const [offset, kind] of (instructions[code.code[at] ?? -1]?.operands ?? []).entries()) {
      const value = code.code[at + 1 + offset] ?? NaN;
      const isRight: Partial<Record<typeof kind, () => boolean>> = {
        target: () => starts.has(value),
        read: () => value >= 0 && value < code.registers,
        write: () => value >= 0 && value < code.registers,
        first: () => value + (code.code[at + 2 + offset] ?? NaN) <= code.registers,
        constant: () => program.constants[value] !== undefined,
        global: () => program.globals[value] !== undefined,
        durable: () => program.nodes[program.durables[value]?.node ?? -1] !== undefined,
        function: () => program.functions[value] !== undefined,
      };
      if (isRight[kind]?.() === false) wrong.push(`${kind} ${value} at ${at}`);
    }
  }
  for (const { start, end, target } of code.handlers) {
    const isEnd = end === code.code.length || starts.has(end);
    if (!starts.has(start) || !starts.has(target) || !isEnd) wrong.push(`handler at ${start}`);
  }
  return wrong;
}

function said(code: number[]): string {
  return verdict(preludeOf(code), validatePrelude);
}

describe("validatePrelude", () => {
  it("accepts operations of the machine, and nothing durable", () => {
    expect(said([Op.Global, 0, 0, Op.Host, 0, 0, 0, 1, Op.Return, 0])).toBe("accepted");
    expect(said([Op.Durable, 0, 0, Op.Return, 0])).toContain("functions[0].code[2]");
    expect(said([Op.SetGlobal, 0, 0, Op.Return, 0])).toContain("initialiser only");
    expect(said([Op.Host, 0, 1, 0, 0, Op.Return, 0])).toContain("functions[0].code[2]");
    const good = preludeOf([Op.Return, 0]);
    expect(verdict({ ...good, exports: { x: 1 } }, validatePrelude)).toContain("exports.x");
    expect(verdict({ ...good, functions: [declined] }, validatePrelude)).toContain("classes do not exist");
    assert(
      property(jsonValue(), (value) => verdict(value, validatePrelude) !== "accepted"),
      { seed: SEED, numRuns: 300 },
    );
  });
});
