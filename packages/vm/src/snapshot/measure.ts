import { lengthOf } from "../heap/shape.ts";
import { VObject } from "../heap/value.ts";
import type { Slot } from "../machine/frame.ts";
import type { Machine } from "../machine/machine.ts";
import type { HeapObject, Out } from "./layout.ts";
import { layoutOf } from "./layouts.ts";
import { writeRoots } from "./roots.ts";
import { Writer } from "./writer.ts";

/** What an object, and each value that it holds, costs in memory, roughly. */
const OBJECT_BYTES = 128;
const VALUE_BYTES = 10;

/**
 * Size of the live state in memory; leaves the machine as it is. Goes the ways of a snapshot and writes nothing. Strings
 * count by their length, each time they are met: to look at one would flatten it, and a program that builds a string
 * is measured often. So do names of properties: whether objects share them depends on what else the process has run.
 */
export function measureState(machine: Machine): number {
  return new Meter(machine).measure();
}

class Meter extends Writer implements Out {
  private readonly machine: Machine;
  /** Tells objects that were met in this round from the others. */
  private readonly round: number;
  private readonly met: HeapObject[] = [];
  private weight = 0;

  constructor(machine: Machine) {
    super();
    this.machine = machine;
    this.round = ++machine.encodings;
  }

  measure(): number {
    writeRoots(this.machine, this);
    // The list grows while it is walked.
    for (let index = 0; index < this.met.length; index++) {
      const object = this.met[index]!;
      layoutOf(object.kind).body(object, this);
    }
    return this.weight + this.met.length * OBJECT_BYTES;
  }

  override byte(): void {
    this.weight += 1;
  }

  override uint(): void {
    this.weight += 2;
  }

  override int(): void {
    this.weight += 2;
  }

  override double(): void {
    this.weight += 8;
  }

  override bytes(value: Uint8Array): void {
    this.weight += value.length;
  }

  override raw(value: Uint8Array): void {
    this.weight += value.length;
  }

  override text(value: string): void {
    this.weight += value.length;
  }

  key(text: string): void {
    this.weight += text.length;
  }

  names(object: VObject): readonly string[] {
    const { shape } = object;
    const keys = object.keys();
    this.weight += (shape === null ? lengthOf(keys) : shape.keysLength) + 2 * keys.length;
    return keys;
  }

  weigh(bytes: number): void {
    this.weight += bytes;
  }

  value(value: Slot): void {
    this.weight += VALUE_BYTES;
    if (typeof value === "string") this.weight += value.length;
    else if (typeof value === "bigint") this.weight += value.toString(16).length;
    else if (typeof value === "object" && value !== null && "metBy" in value) this.reference(value);
  }

  /** Objects of the realm and of the program are nobody's state. */
  private reference(object: HeapObject): void {
    if (object.metBy === this.round || (object instanceof VObject && object.captured)) return;
    object.metBy = this.round;
    this.met.push(object);
    layoutOf(object.kind).shell(object, this);
  }
}
