import { createHash } from "node:crypto";
import type { Frame } from "../machine/frame.ts";
import type { Image } from "../machine/image.ts";
import type { Machine } from "../machine/machine.ts";
import type { HeapObject } from "./layout.ts";
import { layoutOf } from "./layouts.ts";
import { type Numbering, Stream } from "./output.ts";
import { writeRoots } from "./roots.ts";
import { DELTA, FULL, SNAPSHOT_FORMAT } from "./tags.ts";
import { Writer } from "./writer.ts";

export interface EncodeOptions {
  /** Strings of at least this many characters are kept apart as blobs. */
  readonly blobLengthMin?: number;
}

export interface Encoded {
  readonly kind: "full" | "delta";
  readonly bytes: Uint8Array;
  /** What was kept apart, by SHA-256. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

/** The machine's whole state. Objects are numbered in order of first visit; only what is reachable is written. */
export function encodeFull(machine: Machine, options: EncodeOptions = {}): Encoded {
  const encoder = new Encoder(machine, 0, options);
  const encoded = encoder.encode();
  encoder.commit();
  return encoded;
}

/**
 * What has changed since the last snapshot of this machine. Objects of that snapshot which nothing has written
 * are neither visited nor written, so the cost is of the change, not of the state.
 */
export function encodeDelta(machine: Machine, options: EncodeOptions = {}): Encoded {
  if (machine.snapshotNext === 0) throw new Error("there is no snapshot that a delta could follow");
  const encoder = new Encoder(machine, machine.snapshotNext, options);
  const encoded = encoder.encode();
  encoder.commit();
  return encoded;
}

/** Snapshots beyond this size are followed by deltas. */
const DELTA_BASE_BYTES_MIN = 64 * 1024;

/** Full while small; then deltas, until together they outweigh the base. */
export function encodeState(machine: Machine, options: EncodeOptions = {}): Encoded {
  const { snapshotBaseBytes: base, snapshotDeltaBytes: deltas } = machine;
  if (machine.snapshotNext > 0 && base >= DELTA_BASE_BYTES_MIN && deltas < base) return encodeDelta(machine, options);
  return encodeFull(machine, options);
}

class Encoder implements Numbering {
  private readonly machine: Machine;
  readonly image: Image;
  private readonly base: number;
  private readonly options: EncodeOptions;
  private readonly shells: Stream;
  private readonly bodies: Stream;
  /** Tells objects that this encoding has met from the others: cheaper than a map of all objects. */
  private readonly round: number;
  private readonly added: HeapObject[] = [];
  private readonly blobs = new Map<string, Uint8Array>();
  private bytesLength = 0;

  constructor(machine: Machine, base: number, options: EncodeOptions) {
    this.machine = machine;
    this.image = machine.image;
    this.round = ++machine.encodings;
    this.base = base;
    this.options = options;
    this.shells = new Stream(this);
    this.bodies = new Stream(this);
  }

  encode(): Encoded {
    writeRoots(this.machine, this.bodies);
    const changed = this.base === 0 ? [] : this.machine.touchedObjects.filter(({ snapshotId }) => snapshotId > 0);
    this.bodies.uint(changed.length);
    for (const object of changed) {
      this.bodies.uint(object.snapshotId);
      this.body(object);
    }
    // The list grows while it is walked: each body adds the objects it refers to for the first time.
    for (let index = 0; index < this.added.length; index++) this.body(this.added[index]!);
    const head = new Writer();
    head.byte(SNAPSHOT_FORMAT);
    head.byte(this.machine.image.program.semantics);
    head.text(this.machine.image.hash.slice(0, 16));
    head.byte(this.base === 0 ? FULL : DELTA);
    head.uint(this.base);
    head.uint(this.added.length);
    head.bytes(this.shells.finish());
    head.raw(this.bodies.finish());
    const bytes = head.finish();
    this.bytesLength = bytes.length;
    return { kind: this.base === 0 ? "full" : "delta", bytes, blobs: this.blobs };
  }

  /** From here on the machine's objects have these numbers, and are unchanged. */
  commit(): void {
    const { machine } = this;
    for (const object of machine.touchedObjects) object.touched = false;
    for (const object of this.added) {
      object.snapshotId = object.metAs;
      object.touched = false;
    }
    machine.touchedObjects = [];
    // Running frames write their registers without asking.
    for (let frame: Frame | null = machine.frame; frame !== null; frame = frame.caller) machine.markTouched(frame);
    machine.snapshotNext = (this.base === 0 ? 1 : this.base) + this.added.length;
    if (this.base === 0) {
      machine.snapshotBaseBytes = this.bytesLength;
      machine.snapshotDeltaBytes = 0;
    } else {
      machine.snapshotDeltaBytes += this.bytesLength;
    }
  }

  numberOf(object: HeapObject): number {
    if (this.base > 0 && object.snapshotId > 0) return object.snapshotId;
    if (object.metBy === this.round) return object.metAs;
    const number = (this.base === 0 ? 1 : this.base) + this.added.length;
    object.metBy = this.round;
    object.metAs = number;
    this.added.push(object);
    this.shells.byte(object.kind);
    layoutOf(object.kind).shell(object, this.shells);
    return number;
  }

  blob(text: string): string | null {
    if (text.length < (this.options.blobLengthMin ?? Number.POSITIVE_INFINITY)) return null;
    const bytes = Buffer.from(text, "utf16le");
    const digest = createHash("sha256").update(bytes).digest("hex");
    this.blobs.set(digest, bytes);
    return digest;
  }

  private body(object: HeapObject): void {
    layoutOf(object.kind).body(object, this.bodies);
  }
}
