/** Appends to a growing buffer. Integers are varints, seven bits a byte, least significant first. */
export class Writer {
  private buffer = Buffer.allocUnsafe(1024);
  length = 0;

  byte(value: number): void {
    if (this.length === this.buffer.length) this.grow(1);
    this.buffer[this.length++] = value;
  }

  /** A whole number from 0 to 2^53 − 1. */
  uint(value: number): void {
    if (this.length + 8 > this.buffer.length) this.grow(8);
    let rest = value;
    while (rest >= 0x80) {
      this.buffer[this.length++] = (rest & 0x7f) | 0x80;
      rest = rest < 0x80000000 ? rest >>> 7 : Math.floor(rest / 128);
    }
    this.buffer[this.length++] = rest;
  }

  /** A whole number of at most 52 bits with its sign in the lowest bit. */
  int(value: number): void {
    this.uint(value < 0 ? -value * 2 - 1 : value * 2);
  }

  double(value: number): void {
    if (this.length + 8 > this.buffer.length) this.grow(8);
    this.buffer.writeDoubleLE(value, this.length);
    this.length += 8;
  }

  bytes(value: Uint8Array): void {
    this.uint(value.length);
    this.raw(value);
  }

  raw(value: Uint8Array): void {
    if (this.length + value.length > this.buffer.length) this.grow(value.length);
    this.buffer.set(value, this.length);
    this.length += value.length;
  }

  /** One byte a character if that is enough, two otherwise: every UTF-16 string survives. */
  text(value: string): void {
    const wide = isWide(value);
    const size = wide ? value.length * 2 : value.length;
    this.uint(value.length * 2 + (wide ? 1 : 0));
    if (this.length + size > this.buffer.length) this.grow(size);
    if (size < 24 && !wide) {
      for (let index = 0; index < value.length; index++) this.buffer[this.length + index] = value.charCodeAt(index);
    } else {
      this.buffer.write(value, this.length, wide ? "utf16le" : "latin1");
    }
    this.length += size;
  }

  /** What has been written; the writer is not used afterwards. */
  finish(): Uint8Array {
    return new Uint8Array(this.buffer.buffer, this.buffer.byteOffset, this.length);
  }

  private grow(by: number): void {
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + by));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}

const BEYOND_LATIN1 = /[^\u0000-\u00ff]/;

function isWide(text: string): boolean {
  return BEYOND_LATIN1.test(text);
}
