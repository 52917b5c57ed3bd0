import { programLimits } from "./limits.ts";
import { Op, instructions } from "./opcodes.ts";
import {
  PROGRAM_FORMAT,
  SEMANTICS,
  type FunctionCode,
  type Prelude,
  type Program,
  type ProgramNode,
} from "./program.ts";
import { eachOf, fail, fieldsOf, integer, oneOf, plainObject, text, type Fields } from "./validate-fields.ts";
import { validateCode, validateConstant, validateFunction, type CodeTables } from "./validate-function.ts";
import { validateRegisters } from "./validate-registers.ts";

export { InvalidProgram } from "./invalid-program.ts";

const limits = programLimits;
const DURABLE_KINDS = ["action", "workflow", "sleep", "signal", "compensate"] as const;

/**
 * Accepts untrusted data as a program, or throws `InvalidProgram`. After it the machine may index every table and
 * register that the code names without looking, every position it jumps to is an instruction, and cells and
 * cursors are met only by the instructions made for them. Values may still be anything, the mark of an
 * uninitialised binding included.
 */
export function validateProgram(program: unknown): Program {
  const fields = fieldsOf(program, "", PROGRAM_FIELDS);
  integer(fields["format"], "format", PROGRAM_FORMAT, PROGRAM_FORMAT);
  integer(fields["semantics"], "semantics", 1, SEMANTICS);
  if (text(fields["name"], "name") === "") fail("name", "is empty");
  const shared = validateShared(fields);
  const globals = eachOf(fields["globals"], "globals", limits.globalsMax, validateGlobal);
  const functionCount = shared.functions.length;
  const nodes = eachOf(fields["nodes"], "nodes", limits.nodesMax, (node, path) =>
    validateNode(node, path, functionCount),
  );
  validateNodeIds(nodes);
  const durables = eachOf(fields["durables"], "durables", limits.durablesMax, (durable, path) =>
    validateDurable(durable, path, nodes),
  );
  const classes = eachOf(fields["classes"], "classes", limits.classesMax, (entry, path) =>
    validateClass(entry, path, shared.functions, globals.length),
  );
  const init = integer(fields["init"], "init", -1, functionCount - 1);
  const tables: CodeTables = {
    functions: shared.functions,
    constants: shared.constants,
    intrinsics: shared.intrinsics.length,
    globals: globals.length,
    durables: durables.length,
    classes: classes.length,
    hosts: 0,
    init,
  };
  validateAllCode(tables);
  validateEntry(shared.functions, integer(fields["entry"], "entry", 0, functionCount - 1), init);
  validateInit(shared.functions, init, globals.length);
  eachOf(fields["edges"], "edges", limits.edgesMax, (edge, path) => validateEdge(edge, path, nodes, functionCount));
  eachOf(fields["steps"], "steps", limits.stepsMax, validateStep);
  validateDebug(fields["debug"], shared.functions);
  return program as Program;
}

/** The same for the prelude, which may name operations of the machine and has nothing durable. */
export function validatePrelude(prelude: unknown): Prelude {
  const fields = fieldsOf(prelude, "", ["semantics", "functions", "constants", "intrinsics", "hosts", "exports"]);
  integer(fields["semantics"], "semantics", 1, SEMANTICS);
  const { functions, constants, intrinsics } = validateShared(fields);
  const hosts = eachOf(fields["hosts"], "hosts", limits.hostsMax, (host, path) => text(host, path));
  const exports = plainObject(fields["exports"], "exports");
  for (const [name, index] of Object.entries(exports)) {
    integer(index, `exports.${name.slice(0, 40)}`, 0, functions.length - 1);
  }
  const tables: CodeTables = {
    functions,
    constants,
    intrinsics: intrinsics.length,
    globals: functions.length,
    durables: 0,
    classes: 0,
    hosts: hosts.length,
    init: -1,
  };
  const classIndex = functions.findIndex((fn) => fn.kind === "constructor");
  if (classIndex >= 0) fail(`functions[${classIndex}].kind`, "classes do not exist in the prelude");
  validateAllCode(tables);
  return prelude as Prelude;
}

function validateAllCode(tables: CodeTables): void {
  const { functions } = tables;
  for (const [index, fn] of functions.entries()) validateCode(fn, index, tables);
  const budget = { left: limits.verifyStatesMax };
  for (const [index, fn] of functions.entries()) validateRegisters(fn, `functions[${index}]`, functions, budget);
}

const PROGRAM_FIELDS = [
  "format",
  "semantics",
  "name",
  "functions",
  "constants",
  "intrinsics",
  "durables",
  "classes",
  "globals",
  "init",
  "entry",
  "nodes",
  "edges",
  "steps",
  "debug",
];

interface Shared {
  readonly functions: readonly FunctionCode[];
  readonly constants: CodeTables["constants"];
  readonly intrinsics: readonly string[];
}

function validateShared(fields: Fields): Shared {
  const functions = eachOf(fields["functions"], "functions", limits.functionsMax, validateFunction);
  const codeLength = functions.reduce((sum, fn) => sum + fn.code.length, 0);
  if (codeLength > limits.codeLengthTotalMax) {
    fail("functions", `have ${codeLength} code words, at most ${limits.codeLengthTotalMax} are allowed`);
  }
  const constants = eachOf(fields["constants"], "constants", limits.constantsMax, validateConstant);
  const intrinsics = eachOf(fields["intrinsics"], "intrinsics", limits.intrinsicsMax, (intrinsic, path) =>
    text(intrinsic, path),
  );
  return { functions, constants, intrinsics };
}

function validateGlobal(value: unknown, path: string): void {
  text(fieldsOf(value, path, ["name"])["name"], `${path}.name`);
}

function validateNode(value: unknown, path: string, functionCount: number): ProgramNode {
  const fields = fieldsOf(value, path, ["id", "kind", "name", "function", "within"]);
  if (text(fields["id"], `${path}.id`) === "") fail(`${path}.id`, "is empty");
  oneOf(fields["kind"], `${path}.kind`, DURABLE_KINDS);
  text(fields["name"], `${path}.name`);
  integer(fields["function"], `${path}.function`, 0, functionCount - 1);
  eachOf(fields["within"], `${path}.within`, limits.withinMax, (part, at) => text(part, at));
  return value as ProgramNode;
}

function validateNodeIds(nodes: readonly ProgramNode[]): void {
  const seen = new Set<string>();
  for (const [index, { id }] of nodes.entries()) {
    if (seen.has(id)) fail(`nodes[${index}].id`, "is the id of another node too");
    seen.add(id);
  }
}

function validateDurable(value: unknown, path: string, nodes: readonly ProgramNode[]): void {
  const fields = fieldsOf(value, path, ["kind", "name", "node"]);
  const kind = oneOf(fields["kind"], `${path}.kind`, DURABLE_KINDS);
  text(fields["name"], `${path}.name`);
  const node = nodes[integer(fields["node"], `${path}.node`, 0, nodes.length - 1)];
  if (node?.kind !== kind) fail(`${path}.node`, "is a node of another kind");
}

function validateClass(value: unknown, path: string, functions: readonly FunctionCode[], globals: number): void {
  const fields = fieldsOf(value, path, ["name", "parent", "constructorFunction"]);
  text(fields["name"], `${path}.name`);
  const parent = fieldsOf(fields["parent"], `${path}.parent`, [], ["global", "intrinsic"]);
  if (Object.keys(parent).length !== 1) fail(`${path}.parent`, "is neither { global } nor { intrinsic }");
  if (Object.hasOwn(parent, "global")) integer(parent["global"], `${path}.parent.global`, 0, globals - 1);
  else text(parent["intrinsic"], `${path}.parent.intrinsic`);
  const at = `${path}.constructorFunction`;
  const fn = functions[integer(fields["constructorFunction"], at, 0, functions.length - 1)];
  if (fn?.kind !== "constructor") fail(at, "is not a constructor");
  if (fn.async) fail(at, "is async");
  if (fn.captures.length > 0) fail(at, "captures variables");
}

function validateEntry(functions: readonly FunctionCode[], entry: number, init: number): void {
  const fn = functions[entry];
  if (fn === undefined || entry === init) fail("entry", "is the initialiser");
  if (!fn.async) fail("entry", "is not async");
  if (fn.kind === "constructor") fail("entry", "is a constructor");
  if (fn.captures.length > 0) fail("entry", "captures variables");
  if (fn.parameters > 1 || fn.rest) fail("entry", "takes more than one parameter");
}

function validateInit(functions: readonly FunctionCode[], init: number, globals: number): void {
  if (init === -1) {
    if (globals > 0) fail("init", "is missing, though there are globals");
    return;
  }
  const fn = functions[init];
  if (fn === undefined || fn.kind === "constructor") fail("init", "is a constructor");
  if (fn.async) fail("init", "is async");
  if (fn.captures.length > 0) fail("init", "captures variables");
  if (fn.parameters > 0 || fn.rest) fail("init", "takes parameters");
  const set = new Set<number>();
  for (let position = 0; position < fn.code.length;) {
    const opcode = fn.code[position] ?? 0;
    if (opcode === Op.SetGlobal) set.add(fn.code[position + 1] ?? -1);
    position += 1 + (instructions[opcode]?.operands.length ?? 0);
  }
  if (set.size !== globals) fail("init", `sets ${set.size} of ${globals} globals`);
}

function validateEdge(value: unknown, path: string, nodes: readonly ProgramNode[], functionCount: number): void {
  const fields = fieldsOf(value, path, ["from", "to"], ["label"]);
  const from = integer(fields["from"], `${path}.from`, -functionCount, nodes.length - 1);
  const to = integer(fields["to"], `${path}.to`, -functionCount, nodes.length - 1);
  if (from < 0 && to < 0 && from !== to) fail(`${path}.to`, "is the end of another function");
  if (!Object.hasOwn(fields, "label") || text(fields["label"], `${path}.label`) !== "undo") return;
  if (nodes[from]?.kind !== "compensate" || to < 0) fail(`${path}.label`, "is not one of a compensation");
}

function validateStep(value: unknown, path: string): void {
  const fields = fieldsOf(value, path, ["action", "captures", "file", "start", "end"]);
  if (text(fields["action"], `${path}.action`) === "") fail(`${path}.action`, "is empty");
  eachOf(fields["captures"], `${path}.captures`, limits.capturesMax, (name, at) => text(name, at));
  text(fields["file"], `${path}.file`);
  const start = integer(fields["start"], `${path}.start`, 0, Number.MAX_SAFE_INTEGER);
  integer(fields["end"], `${path}.end`, start, Number.MAX_SAFE_INTEGER);
}

function validateDebug(value: unknown, functions: readonly FunctionCode[]): void {
  const fields = fieldsOf(value, "debug", ["files", "lines", "functions", "sourceHash"]);
  text(fields["sourceHash"], "debug.sourceHash");
  const files = eachOf(fields["files"], "debug.files", limits.filesMax, (file, path) => text(file, path));
  const counted = eachOf(fields["lines"], "debug.lines", limits.filesMax, (lengths, path) =>
    eachOf(lengths, path, limits.linesMax, (length, at) => integer(length, at, 0, Number.MAX_SAFE_INTEGER)),
  );
  if (counted.length !== files.length) fail("debug.lines", "does not describe every file");
  const described = eachOf(fields["functions"], "debug.functions", limits.functionsMax, (entry, path) => {
    const debug = fieldsOf(entry, path, ["file", "spans", "variables"]);
    integer(debug["file"], `${path}.file`, 0, files.length - 1);
    return { path, spans: debug["spans"], variables: debug["variables"] };
  });
  if (described.length !== functions.length) fail("debug.functions", "does not describe every function");
  for (const [index, { path, spans, variables }] of described.entries()) {
    const codeLength = functions[index]?.code.length ?? 0;
    validateSpans(spans, `${path}.spans`, codeLength);
    eachOf(variables, `${path}.variables`, limits.variablesMax, (entry, at) => validateVariable(entry, at, codeLength));
  }
}

/** Whoever reads variables looks whether there is one where this says: only people see them. */
function validateVariable(value: unknown, path: string, codeLength: number): void {
  const fields = fieldsOf(value, path, ["name", "in", "index", "start", "end", "ready"]);
  text(fields["name"], `${path}.name`);
  oneOf(fields["in"], `${path}.in`, ["register", "cell", "captured"]);
  integer(fields["index"], `${path}.index`, 0, limits.registersMax);
  const start = integer(fields["start"], `${path}.start`, 0, codeLength);
  integer(fields["end"], `${path}.end`, start, codeLength);
  integer(fields["ready"], `${path}.ready`, 0, Number.MAX_SAFE_INTEGER);
}

function validateSpans(value: unknown, path: string, codeLength: number): void {
  let position = -1;
  let isPosition = true;
  const spans = eachOf(value, path, limits.spansMax, (entry, at) => {
    if (isPosition) position = integer(entry, at, position + 1, codeLength - 1);
    else integer(entry, at, 0, Number.MAX_SAFE_INTEGER);
    isPosition = !isPosition;
  });
  if (spans.length % 2 !== 0) fail(path, "is not a list of pairs");
}
