import { instructions } from "./opcodes.ts";
import type { Constant, FunctionCode, FunctionDebug, Prelude, Program } from "./program.ts";

/** Source text by file name, for listings that show it. */
export type Sources = Readonly<Record<string, string>>;

/**
 * A program for people: every function with its instructions, constants and names inline, jumps by label. With
 * debug information each source position is noted; with the sources the line itself is shown.
 */
export function listProgram(program: Program, sources: Sources = {}): string {
  const { name, format, semantics, entry, init, debug } = program;
  const parts = [`program ${name}, format ${format}, semantics ${semantics}`];
  for (const [index, fn] of program.functions.entries()) {
    const roles = [index === entry ? "entry" : "", index === init ? "init" : ""].filter((role) => role !== "");
    const place = sourcePlaces(debug.functions[index], debug.files, sources);
    parts.push(listFunction(fn, index, roles, namesOf(program), place));
  }
  const classes = program.classes.map(({ name: className, parent, constructorFunction }) => {
    const parentName = "global" in parent ? globalName(program, parent.global) : parent.intrinsic;
    return `class ${className} extends ${parentName}, constructor function ${constructorFunction}`;
  });
  if (classes.length > 0) parts.push(classes.join("\n"));
  const steps = program.steps.map(({ action, captures }) => `step ${action} (${captures.join(", ")})`);
  if (steps.length > 0) parts.push(steps.join("\n"));
  return `${parts.join("\n\n")}\n`;
}

export function listPrelude(prelude: Prelude): string {
  const names: TableNames = {
    constants: prelude.constants,
    functions: prelude.functions,
    intrinsic: (index) => prelude.intrinsics[index] ?? "?",
    global: (index) => prelude.functions[index]?.name ?? "?",
    durable: () => "?",
    class: () => "?",
    host: (index) => prelude.hosts[index] ?? "?",
  };
  const exported = new Map(Object.entries(prelude.exports).map(([name, index]) => [index, name]));
  const parts = prelude.functions.map((fn, index) => {
    const role = exported.get(index);
    return listFunction(fn, index, role === undefined ? [] : [`export ${role}`], names, undefined);
  });
  return `prelude, semantics ${prelude.semantics}\n\n${parts.join("\n\n")}\n`;
}

/** How the entries of the tables that operands index are called. */
interface TableNames {
  readonly constants: readonly Constant[];
  readonly functions: readonly FunctionCode[];
  readonly intrinsic: (index: number) => string;
  readonly global: (index: number) => string;
  readonly durable: (index: number) => string;
  readonly class: (index: number) => string;
  readonly host: (index: number) => string;
}

function namesOf(program: Program): TableNames {
  return {
    constants: program.constants,
    functions: program.functions,
    intrinsic: (index) => program.intrinsics[index] ?? "?",
    global: (index) => globalName(program, index),
    durable: (index) => {
      const durable = program.durables[index];
      if (durable === undefined) return "?";
      const node = program.nodes[durable.node]?.id ?? "?";
      return `${durable.kind}${durable.name === "" ? "" : ` ${durable.name}`} @${node}`;
    },
    class: (index) => program.classes[index]?.name ?? "?",
    host: () => "?",
  };
}

function globalName(program: Program, index: number): string {
  return program.globals[index]?.name ?? "?";
}

/** Says where the instruction at a position comes from, when that differs from the instruction before. */
type PlaceAt = (position: number) => string | undefined;

function listFunction(
  fn: FunctionCode,
  index: number,
  roles: readonly string[],
  names: TableNames,
  placeAt: PlaceAt | undefined,
): string {
  const labels = labelsOf(fn);
  const lines = [headingOf(fn, index, roles)];
  const texts = new Map(fn.texts);
  const width = String(fn.code.length).length;
  for (let position = 0; position < fn.code.length;) {
    const place = placeAt?.(position);
    if (place !== undefined) lines.push(`  ; ${place}`);
    const label = labels.get(position);
    if (label !== undefined) lines.push(`${label}:`);
    const instruction = instructions[fn.code[position] ?? -1];
    if (instruction === undefined) {
      lines.push(`  ${String(position).padStart(width)}  ?`);
      break;
    }
    const operands = listOperands(fn, position, labels, names);
    const text = texts.get(position);
    const note = text === undefined ? "" : `   ; ${shownConstant(names.constants[text])}`;
    lines.push(`  ${String(position).padStart(width)}  ${instruction.name.padEnd(17)} ${operands}${note}`.trimEnd());
    position += 1 + instruction.operands.length;
  }
  const end = labels.get(fn.code.length);
  if (end !== undefined) lines.push(`${end}:`);
  for (const { start, end: stop, target, register } of fn.handlers) {
    lines.push(`  handler ${labels.get(start)} to ${labels.get(stop)}: ${labels.get(target)}, error in r${register}`);
  }
  return lines.join("\n");
}

function headingOf(fn: FunctionCode, index: number, roles: readonly string[]): string {
  const traits = [
    fn.async ? `async ${fn.kind}` : fn.kind,
    `parameters ${fn.parameters}${fn.rest ? " and rest" : ""}`,
    `length ${fn.length}`,
    `registers ${fn.registers}`,
    ...roles,
  ];
  if (fn.captures.length > 0) {
    const captures = fn.captures.map(({ from, index: at }) => (from === "register" ? `r${at}` : `outer ${at}`));
    traits.push(`captures ${captures.join(" ")}`);
  }
  return `function ${index} ${fn.name === "" ? "(anonymous)" : fn.name}: ${traits.join(", ")}`;
}

/** Labels in order of position for all that is jumped to or bounds a handler. */
function labelsOf(fn: FunctionCode): ReadonlyMap<number, string> {
  const positions = new Set<number>();
  for (const { start, end, target } of fn.handlers) positions.add(start).add(end).add(target);
  for (let position = 0; position < fn.code.length;) {
    const operands = instructions[fn.code[position] ?? -1]?.operands ?? [];
    for (const [offset, kind] of operands.entries()) {
      if (kind === "target") positions.add(fn.code[position + 1 + offset] ?? -1);
    }
    position += 1 + operands.length;
  }
  const sorted = [...positions].sort((a, b) => a - b);
  return new Map(sorted.map((position, number) => [position, `L${number + 1}`]));
}

function listOperands(
  fn: FunctionCode,
  position: number,
  labels: ReadonlyMap<number, string>,
  names: TableNames,
): string {
  const operands = instructions[fn.code[position] ?? -1]?.operands ?? [];
  const shown: string[] = [];
  for (const [offset, kind] of operands.entries()) {
    const value = fn.code[position + 1 + offset] ?? -1;
    switch (kind) {
      case "write":
      case "read":
        shown.push(`r${value}`);
        break;
      case "maybe":
        shown.push(value === -1 ? "-" : `r${value}`);
        break;
      case "first": {
        const count = fn.code[position + 2 + offset] ?? 0;
        shown.push(`(${Array.from({ length: count }, (_, index) => `r${value + index}`).join(" ")})`);
        break;
      }
      case "count":
        break;
      case "int":
        shown.push(String(value));
        break;
      case "target":
        shown.push(labels.get(value) ?? "?");
        break;
      case "constant":
        shown.push(shownConstant(names.constants[value]));
        break;
      case "function":
        shown.push(`function ${value} ${names.functions[value]?.name ?? "?"}`.trimEnd());
        break;
      case "outer":
        shown.push(`outer ${value}`);
        break;
      default:
        shown.push(names[kind](value));
    }
  }
  return shown.join(" ");
}

const CONSTANT_SHOWN_MAX = 60;
const LINE_SHOWN_MAX = 200;

function shownConstant(constant: Constant | undefined): string {
  if (constant === undefined) return "?";
  if (typeof constant === "number") return String(constant);
  if (typeof constant === "string") {
    const text = JSON.stringify(constant);
    return text.length > CONSTANT_SHOWN_MAX ? `${text.slice(0, CONSTANT_SHOWN_MAX)}…"` : text;
  }
  return "bigint" in constant ? `${constant.bigint}n` : constant.number;
}

function sourcePlaces(
  debug: FunctionDebug | undefined,
  files: readonly string[],
  sources: Sources,
): PlaceAt | undefined {
  if (debug === undefined) return undefined;
  const file = files[debug.file] ?? "?";
  const source = sources[file];
  const offsets = new Map<number, number>();
  for (let index = 0; index + 1 < debug.spans.length; index += 2) {
    offsets.set(debug.spans[index] ?? -1, debug.spans[index + 1] ?? -1);
  }
  let previous = "";
  return (position) => {
    const offset = offsets.get(position);
    if (offset === undefined) return undefined;
    const place = source === undefined ? `${file} offset ${offset}` : lineAt(file, source, offset);
    if (place === previous) return undefined;
    previous = place;
    return place;
  };
}

function lineAt(file: string, source: string, offset: number): string {
  const before = source.slice(0, offset).split("\n");
  const start = offset - (before.at(-1)?.length ?? 0);
  const end = source.indexOf("\n", offset);
  const line = source.slice(start, end === -1 ? source.length : end).trim();
  return `${file}:${before.length} ${line.length > LINE_SHOWN_MAX ? `${line.slice(0, LINE_SHOWN_MAX)}…` : line}`;
}
