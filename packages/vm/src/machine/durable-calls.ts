import { NotStorable, parseDuration, TIME_MAX } from "@cairnjs/ir";
import { VDurable, VSignal } from "../heap/durable.ts";
import type { VPromise } from "../heap/promise.ts";
import { VDate, type VError } from "../heap/data.ts";
import { VBuiltin, VClass } from "../heap/function.ts";
import { VArray, VObject, VPlain, type Value } from "../heap/value.ts";
import { decodeVm, encodeVm } from "../values/index.ts";
import { EngineError, Thrown, throwError } from "./host.ts";
import { newPromise, rejectPromise, resolvePromise } from "./jobs.ts";
import type { Machine, OpenCall } from "./machine.ts";

/**
 * What happens when a body calls something durable: arguments are copied, an effect is issued, and a promise
 * waits in `machine.open` for the input that answers it.
 */
export function callDurable(machine: Machine, durable: VDurable, args: readonly Value[]): Value {
  switch (durable.durable) {
    case "action":
      return issue(machine, "call", durable.node, durable.name, (id) => ({
        kind: "call",
        id,
        node: machine.nodeId(durable.node),
        action: durable.name,
        args: encodeArguments(machine, durable.name, args),
        options: durable.options,
        path: machine.callPath(),
        compensation: false,
      }));
    case "workflow":
      return startChild(machine, durable, args[0], () => durable.options, false);
    case "sleep":
      return sleep(machine, durable, args[0]);
    case "signal":
      return newSignal(machine, durable, args[0]);
    case "compensate":
      return compensate(machine, args);
  }
}

/** `child.start(input, options)`: resolves to `{ id }` once the child is durable. */
export function startDetached(machine: Machine, durable: VDurable, input: Value, options: Value): Value {
  const encoded = (): string | null => (options === undefined ? durable.options : encodeOptions(machine, options));
  return startChild(machine, durable, input, encoded, true);
}

function startChild(
  machine: Machine,
  durable: VDurable,
  input: Value,
  options: () => string | null,
  detached: boolean,
): Value {
  return issue(machine, "child", durable.node, durable.name, (id) => ({
    kind: "child",
    id,
    node: machine.nodeId(durable.node),
    workflow: durable.name,
    input: encodeVm(machine, input, "input"),
    options: options(),
    detached,
    path: machine.callPath(),
  }));
}

/** `durable.with(options)`: the same thing with other options, later ones winning key by key. */
export function withOptions(machine: Machine, durable: VDurable, options: Value): VDurable {
  if (!(options instanceof VPlain)) throwError(machine, "TypeError", "with() takes an object of options");
  const merged = new VPlain(machine.realm.objectPrototype);
  const before = durable.options === null ? null : decodeVm(machine, durable.options);
  if (before instanceof VPlain) assign(merged, before);
  assign(merged, options);
  const encoded = encodeOptions(machine, merged);
  machine.charge(10, 100 + encoded.length);
  return new VDurable(durable.proto, durable.durable, durable.name, durable.node, -1, encoded, null);
}

/** Error classes in `nonRetryable` are stored by their names, which errors are told apart by wherever they go. */
function encodeOptions(machine: Machine, options: Value): string {
  const classes = options instanceof VPlain ? options.read("nonRetryable") : undefined;
  if (!(options instanceof VPlain) || !(classes instanceof VArray)) return encodeVm(machine, options, "options");
  machine.charge(classes.items.length, 8 * classes.items.length);
  const named = new VPlain(machine.realm.objectPrototype);
  assign(named, options);
  const names = classes.items.map((each) => errorClassName(machine, each) ?? each);
  named.write("nonRetryable", new VArray(machine.realm.arrayPrototype, names));
  return encodeVm(machine, named, "options");
}

function errorClassName({ realm }: Machine, value: Value): string | undefined {
  if (value instanceof VClass) return value.name;
  if (!(value instanceof VBuiltin)) return undefined;
  let prototype: VObject | null | undefined = realm.intrinsics.get(`${value.path}.prototype`);
  while (prototype && prototype !== realm.prototype("Error")) prototype = prototype.proto;
  return prototype ? value.path.replace("cairn.", "") : undefined;
}

function assign(target: VPlain, source: VPlain): void {
  for (const key of source.keys()) target.write(key, source.read(key));
}

function sleep(machine: Machine, durable: VDurable, duration: Value): Value {
  const until = wakeTime(machine, duration);
  if (until === null) {
    const message = `sleep() takes milliseconds, a duration such as "2 days", or a Date, not ${shown(duration)}`;
    return rejected(machine, machine.newError("RangeError", message));
  }
  return issue(machine, "sleep", durable.node, "", (id) => ({
    kind: "sleep",
    id,
    node: machine.nodeId(durable.node),
    until,
    path: machine.callPath(),
  }));
}

function wakeTime(machine: Machine, duration: Value): number | null {
  if (duration instanceof VDate) return Number.isNaN(duration.time) ? null : duration.time;
  const ms =
    typeof duration === "number" ? duration : typeof duration === "string" ? parseDuration(duration) : Number.NaN;
  if (!Number.isFinite(ms)) return null;
  const wakeAt = machine.at + Math.max(0, Math.ceil(ms));
  return wakeAt <= TIME_MAX ? wakeAt : null;
}

function shown(duration: Value): string {
  if (duration instanceof VDate) return "an invalid Date";
  if (duration instanceof VObject) return "an object";
  return typeof duration === "string" ? `"${duration}"` : String(duration);
}

function newSignal(machine: Machine, durable: VDurable, name: Value): VSignal {
  if (typeof name !== "string") throwError(machine, "TypeError", "signal() takes a name");
  machine.charge(5, 80);
  return new VSignal(machine.realm.prototype("cairn.Signal"), name, durable.node, -1, null);
}

/** `signal.wait({ timeout })`. */
export function waitForSignal(machine: Machine, name: string, node: number, options: Value): Value {
  let until: number | null = null;
  if (options !== undefined) {
    const timeout = options instanceof VPlain ? options.read("timeout") : null;
    if (timeout === null) throwError(machine, "TypeError", 'wait() takes an object such as { timeout: "1 day" }');
    if (timeout !== undefined) {
      until = wakeTime(machine, timeout);
      if (until === null) {
        return rejected(machine, machine.newError("RangeError", "the timeout of wait() must be a duration or a Date"));
      }
    }
  }
  const promise = issue(machine, "wait", node, name, (id) => ({
    kind: "wait",
    id,
    node: machine.nodeId(node),
    signal: name,
    until,
    path: machine.callPath(),
  }));
  giveSignals(machine, name);
  return promise;
}

/** Hands buffered signals of a name to its waits, both in order of arrival. */
export function giveSignals(machine: Machine, name: string): void {
  const buffered = machine.signals.get(name);
  if (buffered === undefined) return;
  for (const call of machine.open.values()) {
    if (buffered.length === 0) break;
    if (call.kind !== "wait" || call.name !== name) continue;
    const value = buffered.shift()!;
    machine.open.delete(call.id);
    machine.effects.push({ kind: "taken", id: machine.nextId(), wait: call.id, value });
    if (call.promise !== null) resolvePromise(machine, call.promise, decodeVm(machine, value));
  }
  if (buffered.length === 0) machine.signals.delete(name);
}

function compensate(machine: Machine, args: readonly Value[]): undefined {
  const action = args[0];
  if (!(action instanceof VDurable) || action.durable !== "action") {
    throwError(machine, "TypeError", "compensate() takes an action and its arguments");
  }
  const encoded = storable(machine, () => encodeList(machine, args.slice(1)));
  machine.compensations.push({ node: action.node, action: action.name, args: encoded, options: action.options });
  machine.effects.push({
    kind: "compensation",
    id: machine.nextId(),
    node: machine.nodeId(action.node),
    action: action.name,
    args: encoded,
  });
  return undefined;
}

/** Throws the program's NotStorable error where the encoder throws the host's. */
export function storable<T>(machine: Machine, encode: () => T): T {
  try {
    return encode();
  } catch (error) {
    if (error instanceof NotStorable) throw new Thrown(notStorable(machine, error));
    throw error;
  }
}

export function notStorable(machine: Machine, error: NotStorable): VError {
  const thrown = machine.newError("cairn.NotStorable", error.message);
  thrown.write("path", error.path);
  thrown.write("reason", error.reason);
  return thrown;
}

/** What a step captures is one argument; paths in it begin with the names of the variables, as people know them. */
function encodeArguments(machine: Machine, action: string, args: readonly Value[]): string {
  const [captures] = args;
  if (!machine.image.steps.has(action) || args.length !== 1) return encodeList(machine, args);
  return `[${encodeVm(machine, captures, "")}]`;
}

function encodeList(machine: Machine, args: readonly Value[]): string {
  return encodeVm(machine, new VArray(machine.realm.arrayPrototype, [...args]), "arguments");
}

function issue(
  machine: Machine,
  kind: OpenCall["kind"],
  node: number,
  name: string,
  effect: (id: string) => Machine["effects"][number],
): VPromise {
  if (machine.cancelled !== null) {
    return rejected(machine, machine.newError("cairn.RunCancelled", machine.cancelled));
  }
  if (machine.open.size >= machine.limits.openPromisesMax) {
    throw new EngineError("TooManyPromises", `More than ${machine.limits.openPromisesMax} durable calls are open`);
  }
  const id = `${machine.inputNumber}.${machine.ordinal}`;
  let issued: Machine["effects"][number];
  try {
    issued = effect(id);
  } catch (error) {
    if (error instanceof NotStorable) return rejected(machine, notStorable(machine, error));
    throw error;
  }
  machine.ordinal++;
  machine.charge(20, 200);
  machine.effects.push(issued);
  const promise = newPromise(machine);
  machine.open.set(id, { id, kind, node, name, promise });
  return promise;
}

function rejected(machine: Machine, reason: Value): VPromise {
  const promise = newPromise(machine);
  rejectPromise(machine, promise, reason);
  return promise;
}
