import { type CompiledWorkflow, compile } from "@cairnjs/compiler";
import { encodeNative } from "@cairnjs/ir";
import { type Image, InvalidSnapshot, loadProgram } from "@cairnjs/vm";
import { compareTranscripts } from "./compare.ts";
import { drive } from "./driver.ts";
import { MachineRun, NO_INPUT } from "./machine-run.ts";
import { isDeliberateRefusal } from "./refusals.ts";
import { NativeModules, type Sources, resolveSpecifier } from "./native-module.ts";
import { NativeRun } from "./native-run.ts";
import type { RejectionTracker } from "./rejections.ts";
import { BrokenSnapshot, restoring } from "./restore.ts";
import type { Schedule } from "./schedule.ts";
import { surroundings } from "./surroundings.ts";
import { type Transcript, showLine } from "./transcript.ts";

/** What went wrong with a body; all but `wording` fail the test. */
export interface Finding {
  readonly kind: "diagnostic" | "refused" | "engine" | "difference" | "wording" | "snapshot" | "crash";
  /** Same text, same defect: enough to tell findings apart while a body shrinks. */
  readonly key: string;
  readonly detail: string;
  readonly schedule: Schedule | null;
  readonly restored: boolean;
}

export interface Checked {
  readonly findings: readonly Finding[];
  readonly programs: readonly CompiledWorkflow[];
  /** Transcripts of the oracle, one per schedule. */
  readonly transcripts: readonly Transcript[];
  readonly runs: number;
  readonly restores: number;
  /** What the machine refused on purpose. */
  readonly refusals: readonly string[];
}

export interface CheckOptions {
  readonly schedules: readonly Schedule[];
  /** For how many of the schedules the run is repeated with restores at every instruction. */
  readonly restored: number;
  /** See `restoring`. */
  readonly everyDelta?: boolean | undefined;
}

/** Compiles a body and runs it on both sides under every schedule. Stops at the first finding that fails. */
export async function checkBody(
  sources: Sources,
  options: CheckOptions,
  rejections: RejectionTracker,
): Promise<Checked> {
  const prepared = prepare(sources);
  const checked = {
    findings: [] as Finding[],
    programs: [] as CompiledWorkflow[],
    transcripts: [] as Transcript[],
    runs: 0,
    restores: 0,
    refusals: [] as string[],
  };
  if ("kind" in prepared) return { ...checked, findings: [prepared] };
  checked.programs.push(...prepared.workflows);
  for (const [index, schedule] of options.schedules.entries()) {
    const around = () => surroundings(prepared.modules, prepared.workflow, rejections);
    const oracle = new NativeRun(prepared.modules, prepared.workflow, rejections, prepared.classes);
    const native = await drive(oracle, prepared.input(oracle), schedule, around());
    if (oracle.endless) return checked;
    checked.transcripts.push(native);
    const isDecided = !native.some(({ what }) => what === "given");
    for (const restored of index < options.restored ? [false, true] : [false]) {
      const between = restored ? restoring(prepared.image, schedule.seed, options.everyDelta) : null;
      const run = new MachineRun(prepared.image, between);
      const found = await compareWith(native, run, prepared.input(oracle), schedule, around(), restored);
      const refusal = run.lines.find(({ what }) => what === "engine");
      if (refusal !== undefined && found === null) checked.refusals.push(String(refusal.plain[1]));
      checked.runs++;
      checked.restores += between?.restores ?? 0;
      if (found === null) continue;
      checked.findings.push(found);
      if (found.kind !== "wording") return checked;
    }
    // Nothing was left to the schedule: the others would only repeat it.
    if (isDecided) break;
  }
  return checked;
}

interface Prepared {
  readonly image: Image;
  readonly modules: NativeModules;
  readonly workflow: string;
  /** Error classes that the program has. */
  readonly classes: readonly string[];
  readonly workflows: readonly CompiledWorkflow[];
  input(run: NativeRun): string;
}

function prepare(sources: Sources): Prepared | Finding {
  const finding = (kind: Finding["kind"], key: string, detail: string): Finding => ({
    kind,
    key,
    detail,
    schedule: null,
    restored: false,
  });
  try {
    const { workflows, diagnostics } = compile(sources.entry, {
      resolve: resolveSpecifier,
      read: (id) => {
        const source = sources.files[id];
        if (source === undefined) throw new Error(`there is no file ${id}`);
        return source;
      },
    });
    const problem = diagnostics.find(({ severity }) => severity === "error");
    if (problem !== undefined) {
      return finding(
        "diagnostic",
        `${problem.code} ${problem.message.replaceAll(/`[^`]*`|\b\w*\d\w*\b/g, "…")}`,
        `${problem.code} ${problem.line}:${problem.column} ${problem.message}`,
      );
    }
    const [main] = workflows;
    if (main === undefined) return finding("crash", "no workflow", "the compiler found no workflow");
    const modules = new NativeModules(
      sources,
      workflows.flatMap(({ program }) => program.steps),
    );
    const input = (run: NativeRun): string =>
      "input" in run.instance.exports ? encodeNative(run.instance.exports["input"], run.codec) : NO_INPUT;
    return {
      image: loadProgram(main.program),
      modules,
      workflow: main.name,
      classes: main.program.classes.map(({ name }) => name),
      workflows,
      input,
    };
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return finding(
      error instanceof Error && error.name === "ProgramRefused" ? "refused" : "crash",
      text.split("\n")[0]!,
      text,
    );
  }
}

function failureOf(error: unknown, schedule: Schedule, restored: boolean): Finding {
  const kind = error instanceof BrokenSnapshot || error instanceof InvalidSnapshot ? "snapshot" : "crash";
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind, key: text.split("\n")[0]!.replaceAll(/\d+/g, "#"), detail: text, schedule, restored };
}

async function compareWith(
  native: Transcript,
  run: MachineRun,
  input: string,
  schedule: Schedule,
  around: Parameters<typeof drive>[3],
  restored: boolean,
): Promise<Finding | null> {
  const finding = (kind: Finding["kind"], key: string, detail: string): Finding => ({
    kind,
    key,
    detail,
    schedule,
    restored,
  });
  let machine: Transcript;
  try {
    machine = await drive(run, input, schedule, around);
  } catch (error) {
    return failureOf(error, schedule, restored);
  }
  const engine = machine.find(({ what }) => what === "engine");
  const isRefused = engine !== undefined && isDeliberateRefusal(engine.plain[0], engine.plain[1]);
  if (engine !== undefined && !isRefused)
    return finding("engine", `${engine.plain[0]}: ${engine.plain[1]}`, showLine(engine));
  const before = machine.indexOf(engine!);
  const difference = isRefused
    ? compareTranscripts(native.slice(0, before), machine.slice(0, before))
    : compareTranscripts(native, machine);
  if (difference === null) return null;
  const { kind } = difference;
  const tag =
    kind === "wording"
      ? wordingKey(difference.native, difference.machine)
      : differenceKey(difference.native, difference.machine);
  return finding(kind, tag, `native : ${difference.native}\nmachine: ${difference.machine}`);
}

/** Kinds of the two lines; for a probe its path and what came of it, for an error its class. */
function differenceKey(native: string, machine: string): string {
  const shape = (text: string): string => {
    const what = text.split(" ")[0]!;
    const probe = /\["probe","([^"]+)","(\w+)"/.exec(text);
    const error = /"names":\["(\w+)"/.exec(text)?.[1] ?? "";
    return probe === null ? `${what} ${error}` : `${probe[1]} ${probe[2]} ${error}`;
  };
  return `${shape(native)} / ${shape(machine)}`;
}

function wordingKey(native: string, machine: string): string {
  const messages = (text: string): string[] =>
    [...text.matchAll(/"message":"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1]!);
  const left = messages(native);
  const right = messages(machine);
  const index = left.findIndex((message, at) => message !== right[at]);
  return `${left[index]} ≠ ${right[index]}`;
}
