import type { CompiledWorkflow } from "@cairnjs/compiler";
import { type Builtin, builtins, instructions } from "@cairnjs/ir";
import { isProbed } from "../generate/probe.ts";
import type { Checked } from "../run/check-body.ts";
import type { Transcript } from "../run/transcript.ts";
import type { LoweringTables } from "./lowering-tables.ts";
import { syntaxGoals, syntaxOf } from "./syntax-coverage.ts";

/** How much of the language the bodies have used: syntax by the lowering table, built-ins by the list, opcodes. */
export class Coverage {
  readonly #syntax: Map<string, boolean>;
  readonly #builtins: Map<string, boolean>;
  readonly #opcodes: Map<string, boolean>;

  constructor(tables: LoweringTables) {
    this.#syntax = new Map(syntaxGoals(tables).map((goal) => [goal, false]));
    this.#builtins = new Map(builtins.filter(isProbed).map(({ path }) => [path, false]));
    this.#opcodes = new Map(instructions.map(({ name }) => [name, false]));
  }

  /** Counts a body on which both sides agreed. */
  add(source: string, { programs, transcripts }: Checked): void {
    for (const found of syntaxOf(source)) reach(this.#syntax, found);
    for (const program of programs) for (const name of opcodesOf(program)) reach(this.#opcodes, name);
    for (const transcript of transcripts) this.#addProbes(transcript);
  }

  #addProbes(transcript: Transcript): void {
    for (const { what, values } of transcript) {
      if (what !== "log") continue;
      const [tag, path, outcome] = JSON.parse(values[0]!) as unknown[];
      if (tag !== "probe" || typeof path !== "string") continue;
      const builtin = byPath.get(path);
      if (builtin === undefined || (outcome !== "gives" && mayGive(builtin))) continue;
      reach(this.#builtins, path);
      // The prelude is bytecode of the same kind, and `Host` is an instruction that only it may have.
      if (builtin.how === "prelude") reach(this.#opcodes, "Host");
    }
  }

  missingBuiltins(): string[] {
    return missing(this.#builtins);
  }

  get isComplete(): boolean {
    return [this.#syntax, this.#builtins, this.#opcodes].every((map) => missing(map).length === 0);
  }

  report(): string {
    const line = (title: string, map: ReadonlyMap<string, boolean>): string => {
      const left = missing(map);
      const percent = (((map.size - left.length) / map.size) * 100).toFixed(1);
      return `${title}: ${map.size - left.length} of ${map.size} (${percent} %)${left.length === 0 ? "" : `; missing: ${left.join(", ")}`}`;
    };
    return [line("syntax", this.#syntax), line("built-ins", this.#builtins), line("opcodes", this.#opcodes)].join("\n");
  }
}

const byPath: ReadonlyMap<string, Builtin> = new Map(builtins.map((builtin) => [builtin.path, builtin]));

/** What always throws in V8 too is covered when it does. */
function mayGive({ path, refused }: Builtin): boolean {
  return path !== "TypedArray" && refused.length === 0;
}

function reach(map: Map<string, boolean>, goal: string): void {
  if (map.has(goal)) map.set(goal, true);
}

function missing(map: ReadonlyMap<string, boolean>): string[] {
  return [...map].filter(([, reached]) => !reached).map(([goal]) => goal);
}

function* opcodesOf({ program }: CompiledWorkflow): Generator<string> {
  for (const { code } of program.functions) {
    for (let at = 0; at < code.length;) {
      const instruction = instructions[code[at]!]!;
      yield instruction.name;
      at += 1 + instruction.operands.length;
    }
  }
}
