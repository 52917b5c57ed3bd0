/** The bytes are not a snapshot of this program. Never anything but this error for any bytes whatever. */
export class InvalidSnapshot extends Error {
  override name = "InvalidSnapshot";
}

export function invalid(reason: string): never {
  throw new InvalidSnapshot(`Not a valid snapshot: ${reason}`);
}

/** Reads what `Writer` wrote, and refuses everything else. */
export class Reader {
  private readonly buffer: Buffer;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.buffer.length - this.at;
  }

  byte(): number {
    const value = this.buffer[this.at++];
    if (value === undefined) invalid("it ends too early");
    return value;
  }

  uint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 8; count++) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
      scale *= 128;
    }
    invalid("a number is too large");
  }

  int(): number {
    const value = this.uint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  double(): number {
    if (this.left < 8) invalid("it ends too early");
    const value = this.buffer.readDoubleLE(this.at);
    this.at += 8;
    return value;
  }

  bytes(): Uint8Array {
    // A copy, and not a Buffer: the program writes to these bytes, and Buffer's methods are not Uint8Array's.
    return new Uint8Array(this.take(this.uint()));
  }

  text(): string {
    const header = this.uint();
    const length = Math.floor(header / 2);
    if (header % 2 === 1) return this.take(length * 2).toString("utf16le");
    return this.take(length).toString("latin1");
  }

  /** A count of things that take at least one byte each: more than are left cannot be. */
  count(): number {
    const value = this.uint();
    if (value > this.left) invalid("it counts more than it holds");
    return value;
  }

  boolean(): boolean {
    const value = this.byte();
    if (value > 1) invalid("a flag is neither 0 nor 1");
    return value === 1;
  }

  /** Everything that follows. */
  rest(): Uint8Array {
    return this.take(this.left);
  }

  /** Unreads one byte. */
  back(): void {
    this.at--;
  }

  private take(length: number): Buffer {
    if (length > this.left) invalid("it ends too early");
    const part = this.buffer.subarray(this.at, this.at + length);
    this.at += length;
    return part;
  }
}
