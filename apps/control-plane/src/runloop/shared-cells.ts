import { RunloopCounters } from "./runloop-counters.ts";

/** So often a runloop shows that it is not stuck; who looks less than half as often sees it each time. */
export const PULSE_MS = 100;

const PROGRESS = 0;
const ROOM = 1;
/** Counts changes of the owner; odd while it is being written. */
const OWNER_TURN = 2;
/** Whether the owner's life is lost. */
const LOST = 3;
/** Counts how often the room was said. */
const ROOM_TURN = 4;
const CELLS = 5;
const OWNER_BYTES = 16;
/** Numbers of 64 bits begin at multiples of 8. */
const COUNTERS_OFFSET = 8 * Math.ceil((4 * CELLS + OWNER_BYTES) / 8);
const NOBODY = "00000000-0000-0000-0000-000000000000";

/**
 * What a runloop and those around it see of each other without waiting for a message: how far it has come, under which id
 * it holds runs, and how many calls its workers could take. A thread that is blocked delays none of it.
 */
export class SharedCells {
  readonly buffer: SharedArrayBuffer;
  readonly counters: RunloopCounters;
  readonly #cells: Int32Array;
  readonly #owner: Uint8Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(COUNTERS_OFFSET + RunloopCounters.BYTES)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer, 0, CELLS);
    this.#owner = new Uint8Array(buffer, 4 * CELLS, OWNER_BYTES);
    this.counters = new RunloopCounters(buffer, COUNTERS_OFFSET);
  }

  get progress(): number {
    return Atomics.load(this.#cells, PROGRESS);
  }

  advance(): void {
    Atomics.add(this.#cells, PROGRESS, 1);
  }

  get room(): number {
    return Atomics.load(this.#cells, ROOM);
  }

  set room(count: number) {
    Atomics.store(this.#cells, ROOM, count);
    Atomics.add(this.#cells, ROOM_TURN, 1);
  }

  /** Another one each time the room is said, also if that is as large as before. */
  get roomTurn(): number {
    return Atomics.load(this.#cells, ROOM_TURN);
  }

  /** The id of the life at the moment; null if there is none, or it is just changing. */
  get owner(): string | null {
    return this.#read(false);
  }

  /** The id of the life that is lost, until the next one has begun. */
  get former(): string | null {
    return this.#read(true);
  }

  #read(lost: boolean): string | null {
    const turn = Atomics.load(this.#cells, OWNER_TURN);
    const isLost = Atomics.load(this.#cells, LOST) === 1;
    const id = Buffer.from(this.#owner)
      .toString("hex")
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    if (turn % 2 === 1 || Atomics.load(this.#cells, OWNER_TURN) !== turn) return null;
    return id === NOBODY || isLost !== lost ? null : id;
  }

  set owner(id: string | null) {
    Atomics.add(this.#cells, OWNER_TURN, 1);
    this.#owner.set(Buffer.from((id ?? NOBODY).replaceAll("-", ""), "hex"));
    Atomics.store(this.#cells, LOST, 0);
    Atomics.add(this.#cells, OWNER_TURN, 1);
  }

  /** The life is lost; another one follows it. */
  lose(): void {
    Atomics.store(this.#cells, LOST, 1);
    this.counters.add("livesLost", 1);
  }
}
