import { VPromise } from "../heap/promise.ts";
import { UNSUPPORTED } from "../heap/properties.ts";
import { shapeOf } from "../heap/shape.ts";
import { UNINIT, VCell } from "../heap/function.ts";
import { VObject, type Value } from "../heap/value.ts";
import { Frame, type Slot } from "../machine/frame.ts";
import type { Image } from "../machine/image.ts";
import type { Job } from "../machine/jobs.ts";
import { type Limits, defaultLimits } from "../machine/limits.ts";
import type { Machine } from "../machine/machine.ts";
import { newMachine } from "../machine/load.ts";
import type { PreludeImage } from "../prelude/prelude.ts";
import { OPEN_KINDS } from "./encode.ts";
import { readReaction } from "./layout-code.ts";
import type { HeapObject, In, NameList } from "./layout.ts";
import { layoutOf } from "./layouts.ts";
import { InvalidSnapshot, Reader, invalid } from "./reader.ts";
import { readRecords } from "./records.ts";
import { DELTA, FULL, SNAPSHOT_FORMAT, Tag } from "./tags.ts";

export type FindBlob = (digest: string) => Uint8Array | undefined;

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

class Input extends Reader implements In {
  readonly image: Image;
  readonly prelude: PreludeImage;
  private readonly objects: readonly HeapObject[];
  private readonly texts: string[] = [];
  private readonly nameLists: NameList[] = [];
  private readonly findBlob: FindBlob;

  constructor(
    bytes: Uint8Array,
    image: Image,
    prelude: PreludeImage,
    objects: readonly HeapObject[],
    findBlob: FindBlob,
  ) {
    super(bytes);
    this.image = image;
    this.prelude = prelude;
    this.objects = objects;
    this.findBlob = findBlob;
  }

  key(): string {
    const number = this.uint();
    if (number > 0) return this.known(number - 1);
    const text = this.text();
    this.texts.push(text);
    return text;
  }

  names(): NameList {
    const number = this.uint();
    if (number > 0) {
      const known = this.nameLists[number - 1];
      if (known === undefined) invalid("names that do not stand earlier");
      return known;
    }
    const keys = Array.from({ length: this.count() }, () => this.key());
    if (new Set(keys).size !== keys.length) invalid("a name that stands twice");
    const list = { keys, shape: shapeOf(keys) };
    this.nameLists.push(list);
    return list;
  }

  value(): Value {
    const slot = this.slot();
    if (slot === UNINIT || slot instanceof VCell || slot instanceof Frame)
      invalid("a cell or frame where a value stands");
    return slot as Value;
  }

  object<T extends HeapObject>(type: abstract new (...args: never[]) => T): T {
    const slot = this.slot();
    if (!(slot instanceof type)) invalid(`something else where a ${type.name} stands`);
    return slot;
  }

  optional<T extends HeapObject>(type: abstract new (...args: never[]) => T): T | null {
    const slot = this.slot();
    if (slot === null) return null;
    if (!(slot instanceof type)) invalid(`something else where a ${type.name} stands`);
    return slot;
  }

  slot(): Slot {
    switch (this.byte()) {
      case Tag.Undefined:
        return undefined;
      case Tag.Null:
        return null;
      case Tag.True:
        return true;
      case Tag.False:
        return false;
      case Tag.Int:
        return this.int();
      case Tag.Double:
        return this.double();
      case Tag.Text: {
        const text = this.text();
        this.texts.push(text);
        return text;
      }
      case Tag.SameText:
        return this.known(this.uint());
      case Tag.Blob:
        return this.blobText();
      case Tag.Bigint:
        return this.bigint();
      case Tag.Uninit:
        return UNINIT;
      case Tag.Unsupported:
        return UNSUPPORTED;
      default:
        this.back();
        return this.reference();
    }
  }

  private reference(): Slot {
    const tag = this.byte();
    const found = this.find(tag);
    if (found === undefined) invalid(`a reference to nothing (${tag})`);
    return found as Slot;
  }

  private find(tag: number): HeapObject | undefined {
    switch (tag) {
      case Tag.Object:
        return this.objects[this.uint() - 1];
      case Tag.Intrinsic:
        return this.image.realm.intrinsics.get(this.key());
      case Tag.Captured:
        return this.image.captured[this.uint()];
      case Tag.Durable:
        return this.image.durables[this.uint()];
      case Tag.PreludeFunction:
        return this.prelude.functions[this.uint()];
      default:
        return undefined;
    }
  }

  private known(number: number): string {
    const text = this.texts[number];
    if (text === undefined) invalid("a text that does not stand earlier");
    return text;
  }

  private blobText(): string {
    const digest = this.text();
    const bytes = this.findBlob(digest);
    if (bytes === undefined) invalid(`the blob ${digest} is missing`);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf16le");
    this.texts.push(text);
    return text;
  }

  private bigint(): bigint {
    const text = this.text();
    const match = /^(-?)([0-9a-f]+)$/.exec(text);
    if (match === null) invalid("a bigint that is none");
    const magnitude = BigInt(`0x${match[2]}`);
    return match[1] === "-" ? -magnitude : magnitude;
  }
}

function readRoots(machine: Machine, from: Input): void {
  const phase = (["new", "running", "compensating", "ended"] as const)[from.byte()];
  if (phase === undefined) invalid("a run in no known phase");
  machine.phase = phase;
  machine.inputNumber = from.uint();
  machine.ordinal = from.uint();
  machine.at = from.double();
  machine.chance = [from.int() | 0, from.int() | 0, from.int() | 0, from.int() | 0];
  machine.fuelUsed = from.uint();
  machine.pendingFuel = from.uint();
  machine.bytesAllocated = from.uint();
  machine.bytesLive = from.uint();
  machine.bytesCounted = from.uint();
  readRecords(machine, from.text(), from.text());
  machine.frame = from.optional(Frame);
  machine.body = from.optional(VPromise);
  machine.open.clear();
  const open = from.count();
  for (let index = 0; index < open; index++) {
    const id = from.text();
    const kind = OPEN_KINDS[from.byte()];
    if (kind === undefined) invalid("an open call of no known kind");
    const node = from.uint();
    const name = from.key();
    machine.open.set(id, { id, kind, node, name, promise: from.optional(VPromise) });
  }
  machine.unhandled = Array.from({ length: from.count() }, () => from.object(VPromise));
  machine.jobsTaken = 0;
  machine.jobs = Array.from({ length: from.count() }, () => readJob(from));
}

function readJob(from: Input): Job {
  const kind = from.byte();
  if (kind === 0) {
    const promise = from.object(VPromise);
    const thenable = from.value();
    if (!(thenable instanceof VObject)) invalid("a thenable that is no object");
    return { kind: "thenable", promise, thenable, then: from.value() };
  }
  if (kind > 2) invalid("a job of no known kind");
  const value = from.value();
  return { kind: "reaction", value, reaction: readReaction(from), fulfilled: kind === 2 };
}
