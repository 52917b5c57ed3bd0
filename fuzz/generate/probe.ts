import { type Builtin, builtinAt } from "@cairnjs/ir";
import type { Random } from "../run/random.ts";
import { argumentFor } from "./parameter-pools.ts";
import { durableProbe } from "./durable-probes.ts";
import { foreignReceiver, ownReceiver } from "./receivers.ts";
import { urlParts } from "./pools.ts";

/** One use of a built-in: a statement that logs its path, what came of it, and what it did to its operands. */
export interface Probe {
  readonly path: string;
  readonly statement: string;
}

/** Built-ins that can be used; prototypes and namespaces only hold others. */
export function isProbed({ kind, path }: Builtin): boolean {
  return kind !== "namespace" && kind !== "prototype" && path !== "cairn" && path !== "String Iterator.prototype.next";
}

/** A random use of the built-in, made from its line in the list. */
export function probeOf(builtin: Builtin, random: Random): Probe {
  const { path } = builtin;
  const durable = durableProbe(path, random);
  if (durable !== null) return { path, statement: durable };
  return { path, statement: statementOf(builtin, random) };
}

function statementOf(builtin: Builtin, random: Random): string {
  const { path, kind } = builtin;
  const name = JSON.stringify(path);
  const place = placeOf(path);
  if (kind === "constant") return `probe(${name}, () => ${constantText(path, place, random)});`;
  if (kind === "getter") return getterText(builtin, place, random);
  const target = builtin.sameAs === "" ? builtin : builtinAt(builtin.sameAs)!;
  const args = argumentsOf(target, random);
  if (kind === "constructor") return constructorText(builtin, args, random);
  const isAsync = path.startsWith("Promise.");
  const [probe, lead] = isAsync ? ["await probeAsync", "async () => "] : ["probe", "() => "];
  if (place === null) {
    const callee = expressionOf(path);
    if (random.chance(0.1)) return `probe(${name}, () => [${callee}.name, ${callee}.length, typeof ${callee}]);`;
    return `${probe}(${name}, ${lead}{ const args = [${args.join(", ")}]; const result = ${isAsync ? "await " : ""}${callee}(...args)${path === "Promise.reject" ? ".catch((reason) => ['caught', reason])" : ""}; return [${settled(path)}${isAsync ? "" : ", args"}]; });`;
  }
  return methodText(builtin, place, args, random, probe!, lead!);
}

interface Place {
  readonly owner: string;
  readonly member: string;
}

/** Owner and member of what lives on a prototype; null for everything else. */
function placeOf(path: string): Place | null {
  const match = /^(.+\.prototype)\.(\w+)$/.exec(path);
  return match === null ? null : { owner: match[1]!, member: match[2]! };
}

function methodText(
  builtin: Builtin,
  { owner, member }: Place,
  args: readonly string[],
  random: Random,
  probe: string,
  lead: string,
): string {
  const name = JSON.stringify(builtin.path);
  const isAsync = lead.startsWith("async");
  const foreign = random.chance(0.12) && !owner.includes("Iterator") ? foreignReceiver(owner, random) : null;
  const self = foreign ?? ownReceiver(owner, random) ?? "undefined";
  const invoke =
    foreign === null
      ? `self.${member}(${args.join(", ")})`
      : `${publicOwner(owner)}.${member}.call(${["self", ...args].join(", ")})`;
  const result = `const result = ${isAsync ? "await " : ""}${invoke};`;
  return `${probe}(${name}, ${lead}{ const calls = []; const self = ${self}; ${result} return [${settled(builtin.path)}${isAsync ? "" : ", self, calls"}]; });`;
}

function settled(path: string): string {
  if (path === "Object.getPrototypeOf")
    return "[Object, Array, Function, Map, Date, RegExp, Error, Number, String, Boolean].map((owner) => owner.prototype === result), result === null";
  if (path === "Math.random") return "result >= 0 && result < 1";
  if (path === "crypto.randomUUID")
    return "/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(result)";
  return "result";
}

function getterText({ path, settable }: Builtin, place: Place | null, random: Random): string {
  const name = JSON.stringify(path);
  const self = place === null ? "undefined" : (ownReceiver(place.owner, random) ?? "undefined");
  const member = place?.member ?? "";
  const write = settable && random.chance(0.7) ? `self.${member} = ${random.pick(urlParts)};` : "";
  return `probe(${name}, () => { const self = ${self}; ${write} return [self.${member}, self]; });`;
}

function constantText(path: string, place: Place | null, random: Random): string {
  if (place === null) return expressionOf(path);
  const self = ownReceiver(place.owner, random);
  return self === null || path.startsWith("Uint8Array.") ? expressionOf(path) : `(${self}).${place.member}`;
}

function constructorText(
  { path, callable, constructible, refused }: Builtin,
  args: readonly string[],
  random: Random,
): string {
  const name = JSON.stringify(path);
  const callee = expressionOf(path);
  const list = args.join(", ");
  // The engine's own classes are classes in the SDK: only `new` is offered.
  const mayCall = callable && !refused.includes("call") && !path.startsWith("cairn.");
  const mayNew = constructible && !refused.includes("new");
  if ((random.chance(0.1) && !path.startsWith("cairn.")) || (!mayCall && !mayNew))
    return `probe(${name}, () => [${callee}.name, ${callee}.length, typeof ${callee}]);`;
  const text = mayNew && (!mayCall || random.chance(0.5)) ? `new ${callee}(${list})` : `${callee}(${list})`;
  return path === "Promise"
    ? `await probeAsync(${name}, async () => await ${text});`
    : `probe(${name}, () => ${text});`;
}

function argumentsOf(builtin: Builtin, random: Random): string[] {
  const args: string[] = [];
  for (const parameter of builtin.parameters) {
    const leaveOut = parameter.optional || builtin.length <= args.length ? 0.4 : 0.06;
    if (random.chance(leaveOut)) break;
    const count = parameter.rest ? random.below(4) : 1;
    for (let index = 0; index < count; index++) args.push(argumentFor(builtin, parameter, random));
  }
  return args;
}

/** How a program writes the path. */
function expressionOf(path: string): string {
  if (path === "TypedArray") return "Object.getPrototypeOf(Uint8Array)";
  return path.replace(/^TypedArray\./, "Uint8Array.").replace(/^cairn\./, "");
}

function publicOwner(owner: string): string {
  return owner.replace("TypedArray", "Uint8Array");
}
