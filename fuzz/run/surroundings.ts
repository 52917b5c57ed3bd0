import { decodeNative, encodeNative } from "@cairnjs/ir";
import { type Surroundings, drive } from "./driver.ts";
import type { NativeModules } from "./native-module.ts";
import { NativeRun } from "./native-run.ts";
import type { RejectionTracker } from "./rejections.ts";
import type { Given, OpenCall } from "./transcript.ts";

/** The module's own actions, steps and children, evaluated anew so that their state is this run's alone. */
export function surroundings(modules: NativeModules, workflow: string, rejections: RejectionTracker): Surroundings {
  const { classes } = new NativeRun(modules, workflow, rejections, []).instance;
  // Actions know all of their module.
  const home = new NativeRun(modules, workflow, rejections, Object.keys(classes));
  const { exports } = home.instance;
  const signals = Object.entries((exports["signals"] ?? {}) as Record<string, unknown[]>);
  return {
    classes: Object.values(classes).map((errorClass) => namesOf(errorClass.prototype)),
    signals: new Map(signals.map(([name, values]) => [name, values.map((value) => encodeNative(value, home.codec))])),
    carryOut: (call) => carryOut(call, home, modules, rejections),
  };
}

function namesOf(prototype: object): string[] {
  const names: string[] = [];
  for (let at = prototype; at !== Object.prototype; at = Object.getPrototypeOf(at) as object) {
    names.push((at as { constructor: { name: string } }).constructor.name);
  }
  return names;
}

async function carryOut(
  call: OpenCall,
  home: NativeRun,
  modules: NativeModules,
  rejections: RejectionTracker,
): Promise<Given> {
  const { kind, name, number } = call;
  if (kind === "start") return { kind: "result", call: number, value: encodeNative({ id: `child-${number}` }) };
  try {
    const value =
      kind === "child" ? await runChild(call, home, modules, rejections) : await runAction(home, name, call.args);
    return { kind: "result", call: number, value: encodeNative(value, home.codec) };
  } catch (error) {
    return { kind: "error", call: number, error: encodeNative(error, home.codec) };
  }
}

async function runAction(home: NativeRun, name: string, args: string): Promise<unknown> {
  const values = decodeNative(args, home.codec) as unknown[];
  const action = home.declared.actions.get(name) ?? home.instance.steps[name];
  if (action === undefined) throw new Error(`§there is no action ${name}`);
  return (action as (...args: unknown[]) => Promise<unknown>)(...values);
}

/** A child runs natively by itself, its own calls in order. */
async function runChild(
  call: OpenCall,
  home: NativeRun,
  modules: NativeModules,
  rejections: RejectionTracker,
): Promise<unknown> {
  const quiet: RejectionTracker = { begin: () => undefined, settle: () => undefined, reasons: () => [] };
  const child = new NativeRun(modules, call.name, quiet, Object.keys(home.instance.classes));
  const plan = { seed: call.number, failures: 0, cancelBefore: 0, inOrder: true };
  const lines = await drive(child, call.args, plan, surroundings(modules, call.name, rejections));
  const end = lines.find(({ what }) => what === "end");
  const value = decodeNative(end?.values[0] ?? "null", home.codec);
  if (end?.plain[0] !== "succeeded") throw value;
  return value;
}
