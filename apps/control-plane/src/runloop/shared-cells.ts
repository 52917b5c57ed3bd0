/** Numbers that two threads see: how far a runloop has come, and how many calls its workers could take. */
export class SharedCells {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(8)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer);
  }

  get progress(): number {
    return Atomics.load(this.#cells, 0);
  }

  set progress(count: number) {
    Atomics.store(this.#cells, 0, count);
  }

  get room(): number {
    return Atomics.load(this.#cells, 1);
  }

  set room(count: number) {
    Atomics.store(this.#cells, 1, count);
  }
}
