import { Frame } from "../machine/frame.ts";
import type { Image } from "../machine/image.ts";
import { type Limits, defaultLimits } from "../machine/limits.ts";
import type { Machine } from "../machine/machine.ts";
import { newMachine } from "../machine/load.ts";
import { type FindBlob, Input } from "./input.ts";
import type { HeapObject } from "./layout.ts";
import { layoutOf } from "./layouts.ts";
import { InvalidSnapshot, Reader, invalid } from "./reader.ts";
import { readRoots } from "./roots.ts";
import { DELTA, FULL, SNAPSHOT_FORMAT } from "./tags.ts";

/** The machine that a full snapshot and the deltas after it describe. Any other bytes are an InvalidSnapshot. */
export function decodeSnapshot(
  image: Image,
  parts: readonly Uint8Array[],
  limits: Limits = defaultLimits,
  findBlob: FindBlob = () => undefined,
): Machine {
  const machine = newMachine(image, limits);
  const objects: HeapObject[] = [];
  try {
    parts.forEach((bytes, index) => decodePart(machine, bytes, index === 0 ? FULL : DELTA, objects, findBlob));
    checkStack(machine, objects);
  } catch (error) {
    if (error instanceof InvalidSnapshot) throw error;
    throw new InvalidSnapshot(`Not a valid snapshot: ${String(error)}`, { cause: error });
  }
  machine.touchedObjects = [];
  objects.forEach((object, index) => {
    object.snapshotId = index + 1;
    object.touched = false;
  });
  for (let frame = machine.frame; frame !== null; frame = frame.caller) machine.markTouched(frame);
  machine.snapshotNext = objects.length + 1;
  machine.snapshotBaseBytes = parts[0]!.length;
  machine.snapshotDeltaBytes = parts.slice(1).reduce((sum, { length }) => sum + length, 0);
  return machine;
}

function decodePart(
  machine: Machine,
  bytes: Uint8Array,
  kind: number,
  objects: HeapObject[],
  findBlob: FindBlob,
): void {
  const head = new Reader(bytes);
  if (head.byte() !== SNAPSHOT_FORMAT) invalid("its format is unknown");
  if (head.byte() !== machine.image.program.semantics) invalid("its semantics is another");
  if (head.text() !== machine.image.hash.slice(0, 16)) invalid("it belongs to another program");
  if (head.byte() !== kind) invalid(kind === FULL ? "it is a delta without its base" : "it is not a delta");
  const base = head.uint();
  if (base !== (kind === FULL ? 0 : objects.length + 1)) invalid("it is a delta of another snapshot");
  const added = head.uint();
  const shellBytes = head.bytes();
  if (added > shellBytes.length) invalid("it counts more objects than it holds");
  const bodies = new Input(head.rest(), machine.image, machine.prelude, objects, findBlob);
  const shells = new Input(shellBytes, machine.image, machine.prelude, [], findBlob);
  const first = objects.length;
  for (let index = 0; index < added; index++) objects.push(layoutOf(shells.byte()).make(shells));
  if (shells.left > 0) invalid("there is more than it says");
  readRoots(machine, bodies);
  const changed = bodies.count();
  for (let index = 0; index < changed; index++) {
    const number = bodies.uint();
    const object = objects[number - 1];
    if (object === undefined || number > first) invalid("a change to no object");
    layoutOf(object.kind).fill(object, bodies);
  }
  for (let index = first; index < objects.length; index++) layoutOf(objects[index]!.kind).fill(objects[index]!, bodies);
  if (bodies.left > 0) invalid("there is more than it says");
}

/** Only frames of the running stack wait for a callee, and that stack ends. */
function checkStack(machine: Machine, objects: readonly HeapObject[]): void {
  const running = new Set<Frame>();
  let expected = -1;
  for (let frame = machine.frame; frame !== null; frame = frame.caller) {
    if (running.has(frame)) invalid("a call stack that runs in a circle");
    if (expected >= 0 && frame.depth !== expected) invalid("a frame of another depth");
    expected = frame.depth - 1;
    running.add(frame);
  }
  if (machine.frame !== null && expected !== -1) invalid("a call stack without its bottom");
  for (const object of objects) {
    if (!(object instanceof Frame)) continue;
    // A delta may leave frames behind that have returned since: nothing refers to them any more.
    if (!running.has(object)) object.caller = null;
    if (object.caller !== null && object.result >= object.caller.registers.length) invalid("a result for no register");
    if (object.result < -1) invalid("a result for no register");
  }
}
