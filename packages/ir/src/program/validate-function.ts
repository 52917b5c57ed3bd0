import { programLimits } from "./limits.ts";
import { Op, instructions } from "./opcodes.ts";
import type { Capture, Constant, FunctionCode, Handler } from "./program.ts";
import { eachOf, fail, fieldsOf, flag, integer, listOf, oneOf, text, type Fields } from "./validate-fields.ts";

/** Sizes of the tables that operands index. */
export interface CodeTables {
  readonly functions: readonly FunctionCode[];
  readonly constants: readonly Constant[];
  readonly intrinsics: number;
  readonly globals: number;
  readonly durables: number;
  readonly classes: number;
  readonly hosts: number;
  /** The one function that may set globals and create classes, or -1. */
  readonly init: number;
}

const FUNCTION_FIELDS = [
  "name",
  "length",
  "parameters",
  "rest",
  "registers",
  "async",
  "kind",
  "captures",
  "code",
  "handlers",
  "texts",
];

/** The function's own fields. What its code refers to is checked by `validateCode`, once all tables are known. */
export function validateFunction(value: unknown, path: string): FunctionCode {
  const fields = fieldsOf(value, path, FUNCTION_FIELDS);
  const { capturesMax, codeLengthMax, handlersMax, registersMax, stringLengthMax } = programLimits;
  const registers = integer(fields["registers"], `${path}.registers`, 0, registersMax);
  const parameters = integer(fields["parameters"], `${path}.parameters`, 0, registers);
  const rest = flag(fields["rest"], `${path}.rest`);
  if (rest && parameters === registers) fail(`${path}.registers`, "leaves no register for the rest parameter");
  text(fields["name"], `${path}.name`, stringLengthMax);
  integer(fields["length"], `${path}.length`, 0, parameters);
  flag(fields["async"], `${path}.async`);
  oneOf(fields["kind"], `${path}.kind`, ["function", "arrow", "method", "constructor"]);
  eachOf(fields["captures"], `${path}.captures`, capturesMax, validateCapture);
  listOf(fields["code"], `${path}.code`, codeLengthMax);
  const handlerRegister = Math.max(0, registers - 1);
  eachOf(fields["handlers"], `${path}.handlers`, handlersMax, (entry, at) =>
    validateHandler(entry, at, handlerRegister),
  );
  if (listOf(fields["handlers"], path, handlersMax).length > 0 && registers === 0) {
    fail(`${path}.handlers`, "need a register");
  }
  validateTexts(fields, path);
  return value as FunctionCode;
}

function validateCapture(value: unknown, path: string): Capture {
  const fields = fieldsOf(value, path, ["from", "index"]);
  oneOf(fields["from"], `${path}.from`, ["register", "outer"]);
  integer(fields["index"], `${path}.index`, 0, programLimits.registersMax);
  return value as Capture;
}

function validateHandler(value: unknown, path: string, registerMax: number): Handler {
  const fields = fieldsOf(value, path, ["start", "end", "target", "register"]);
  const start = integer(fields["start"], `${path}.start`, 0, programLimits.codeLengthMax);
  integer(fields["end"], `${path}.end`, start + 1, programLimits.codeLengthMax);
  integer(fields["target"], `${path}.target`, 0, programLimits.codeLengthMax);
  integer(fields["register"], `${path}.register`, 0, registerMax);
  return value as Handler;
}

function validateTexts(fields: Fields, path: string): void {
  let previous = -1;
  eachOf(fields["texts"], `${path}.texts`, programLimits.textsMax, (entry, at) => {
    const pair = listOf(entry, at, 2);
    if (pair.length !== 2) fail(at, "is not a pair");
    previous = integer(pair[0], `${at}[0]`, previous + 1, programLimits.codeLengthMax);
    integer(pair[1], `${at}[1]`, 0, programLimits.constantsMax);
  });
}

/** Instructions, and everything that names a position among them or an index of a table. */
export function validateCode(fn: FunctionCode, index: number, tables: CodeTables): void {
  const path = `functions[${index}]`;
  const { code, handlers, texts } = fn;
  const starts = new Uint8Array(code.length);
  const targets: number[] = [];
  let position = 0;
  let last = -1;
  while (position < code.length) {
    const opcode = integer(code[position], `${path}.code[${position}]`, 0, instructions.length - 1);
    starts[position] = 1;
    checkPlace(opcode, fn, index === tables.init, `${path}.code[${position}]`);
    checkOperands(fn, position, tables, path, targets);
    last = opcode;
    position += 1 + (instructions[opcode]?.operands.length ?? 0);
  }
  if (!ENDS.has(last)) fail(`${path}.code`, "runs past its last instruction");
  const isStart = (at: number): boolean => starts[at] === 1;
  for (const at of targets) {
    const target = code[at] ?? -1;
    if (!isStart(target)) fail(`${path}.code[${at}]`, `jumps to ${target}, which is not an instruction`);
  }
  for (const [number, handler] of handlers.entries()) {
    const at = `${path}.handlers[${number}]`;
    if (!isStart(handler.start)) fail(`${at}.start`, "is not an instruction");
    if (handler.end !== code.length && !isStart(handler.end)) fail(`${at}.end`, "is not an instruction");
    if (!isStart(handler.target)) fail(`${at}.target`, "is not an instruction");
  }
  for (const [number, [at, constant]] of texts.entries()) {
    if (!isStart(at)) fail(`${path}.texts[${number}]`, "is not at an instruction");
    if (typeof tables.constants[constant] !== "string") fail(`${path}.texts[${number}]`, "is not a string constant");
  }
}

/** Instructions after which the next one is not reached. */
const ENDS: ReadonlySet<number> = new Set([Op.Jump, Op.Return, Op.ReturnUndefined, Op.Throw, Op.ThrowConstAssign]);

function checkPlace(opcode: number, fn: FunctionCode, isInit: boolean, path: string): void {
  if (opcode === Op.Await && !fn.async) fail(path, "awaits in a function that is not async");
  if ((opcode === Op.SetGlobal || opcode === Op.Class) && !isInit) fail(path, "is allowed in the initialiser only");
  if ((opcode === Op.Super || opcode === Op.SuperSpread) && fn.kind !== "constructor") {
    fail(path, "is allowed in a class constructor only");
  }
}

/** Operands that hold a name or the text of a regular expression, not any constant. */
const ANY_CONSTANT: ReadonlySet<number> = new Set([Op.Const]);

function checkOperands(fn: FunctionCode, position: number, tables: CodeTables, path: string, targets: number[]): void {
  const opcode = fn.code[position] ?? 0;
  const operands = instructions[opcode]?.operands ?? [];
  for (const [offset, kind] of operands.entries()) {
    const slot = position + 1 + offset;
    const at = `${path}.code[${slot}]`;
    const below = (size: number): number => integer(fn.code[slot], at, 0, size - 1);
    switch (kind) {
      case "write":
      case "read":
        below(fn.registers);
        break;
      case "maybe":
        integer(fn.code[slot], at, -1, fn.registers - 1);
        break;
      case "first": {
        const first = below(fn.registers + 1);
        integer(fn.code[slot + 1], `${path}.code[${slot + 1}]`, 0, fn.registers - first);
        break;
      }
      case "count":
        break;
      case "int":
        integer(fn.code[slot], at, -(2 ** 31), 2 ** 31 - 1);
        break;
      case "target":
        below(fn.code.length);
        targets.push(slot);
        break;
      case "constant": {
        const constant = tables.constants[below(tables.constants.length)];
        if (typeof constant !== "string" && !ANY_CONSTANT.has(opcode)) fail(at, "is not a string constant");
        break;
      }
      case "function":
        checkClosure(fn, below(tables.functions.length), tables, at);
        break;
      case "global":
        below(tables.globals);
        break;
      case "durable":
        below(tables.durables);
        break;
      case "intrinsic":
        below(tables.intrinsics);
        break;
      case "class":
        below(tables.classes);
        break;
      case "host":
        below(tables.hosts);
        break;
      case "outer":
        below(fn.captures.length);
        break;
    }
  }
}

/** What a closure captures must be there in the function that creates it. */
function checkClosure(creator: FunctionCode, index: number, tables: CodeTables, path: string): void {
  const created = tables.functions[index];
  if (created === undefined || created.kind === "constructor") fail(path, "makes a closure of a class constructor");
  for (const { from, index: captured } of created.captures) {
    const size = from === "register" ? creator.registers : creator.captures.length;
    if (captured >= size) fail(path, `captures ${from} ${captured} of a function that has ${size}`);
  }
}

export function validateConstant(value: unknown, path: string): Constant {
  if (typeof value === "string") return text(value, path, programLimits.stringLengthMax);
  if (typeof value === "number") {
    if (!Number.isFinite(value) || Object.is(value, -0)) fail(path, "must be written as { number }");
    return value;
  }
  const fields = fieldsOf(value, path, [], ["bigint", "number"]);
  if (Object.keys(fields).length !== 1) fail(path, "is neither { bigint } nor { number }");
  if (Object.hasOwn(fields, "bigint")) {
    const digits = text(fields["bigint"], `${path}.bigint`, programLimits.bigintDigitsMax);
    if (!/^(?:0|-?[1-9][0-9]*)$/.test(digits)) fail(`${path}.bigint`, "is not a whole number in decimal digits");
  } else {
    oneOf(fields["number"], `${path}.number`, ["-0", "NaN", "Infinity", "-Infinity"]);
  }
  return value as Constant;
}
