import { type Program, programHash, validateProgram } from "@cairnjs/ir";
import { hostTable } from "../builtins/tables.ts";
import { VClass } from "../heap/function.ts";
import { intrinsicValue } from "../prelude/prelude.ts";
import { preludeOf } from "../prelude/preludes.ts";
import { run } from "./interpreter.ts";
import { Frame } from "./frame.ts";
import { EngineError, Thrown } from "./host.ts";
import { type Image, captureGlobals, codeUnits, durablesOf } from "./image.ts";
import { type Limits, defaultLimits } from "./limits.ts";
import { Machine } from "./machine.ts";

/** Work that evaluating a program's module-level constants may cost. */
const INIT_FUEL_MAX = 50_000_000;

/** The program is not valid, or its module-level constants cannot be evaluated. */
export class ProgramRefused extends Error {
  override name = "ProgramRefused";
}

/** Validates a program and evaluates its module-level constants. */
export function loadProgram(source: unknown): Image {
  const program = validateProgram(source);
  const { realm } = preludeOf(program.semantics);
  const captured: Image["captured"][number][] = [];
  const capturedNumbers = new Map<Image["captured"][number], number>();
  const classesByName = new Map<string, VClass>();
  const image: Image = {
    program,
    hash: programHash(program),
    realm,
    units: codeUnits(program.functions, program.constants, false),
    durables: durablesOf(program, realm),
    intrinsics: program.intrinsics.map((path) => intrinsicOf(program, path)),
    globals: program.globals.map(() => undefined),
    classesByName,
    steps: new Set(program.steps.map(({ action }) => action)),
    captured,
    capturedNumbers,
  };
  initialise(image);
  for (const object of captureGlobals(image.globals)) {
    capturedNumbers.set(object, captured.length);
    captured.push(object);
    if (object instanceof VClass && !classesByName.has(object.name)) classesByName.set(object.name, object);
  }
  return image;
}

function intrinsicOf(program: Program, path: string): ReturnType<typeof intrinsicValue> {
  const { realm } = preludeOf(program.semantics);
  if (!realm.definitions.has(path)) throw new ProgramRefused(`${program.name}: there is no built-in '${path}'`);
  return intrinsicValue(realm, path, hostTable);
}

function initialise(image: Image): void {
  if (image.program.init < 0) return;
  const machine = newMachine(image, { ...defaultLimits, fuelPerInputMax: INIT_FUEL_MAX });
  machine.frame = new Frame(image.units[image.program.init]!, null, [], undefined, null, 0);
  let budget = INIT_FUEL_MAX;
  try {
    budget = run(machine, budget);
  } catch (error) {
    const reason = error instanceof EngineError ? error.message : error instanceof Thrown ? "it threw" : String(error);
    throw new ProgramRefused(`${image.program.name}: a module-level constant cannot be evaluated: ${reason}`);
  }
  if (machine.frame !== null) throw new ProgramRefused(`${image.program.name}: module-level constants take too long`);
}

export function newMachine(image: Image, limits: Limits = defaultLimits): Machine {
  return new Machine(image, preludeOf(image.program.semantics), limits);
}
