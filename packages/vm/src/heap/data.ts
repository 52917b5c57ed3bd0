import { Kind, VObject } from "./value.ts";

/** Own properties `message`, `stack`, `cause`, `errors` are in the bag, hidden. */
export class VError extends VObject {
  readonly kind = Kind.Error;
  /** Where it was made, innermost first: pairs of function index and position, program functions only. */
  trace: readonly number[] = [];
}

export class VDate extends VObject {
  readonly kind = Kind.Date;
  time: number;

  constructor(proto: VObject | null, time: number) {
    super(proto);
    this.time = time;
  }
}

export class VBytes extends VObject {
  readonly kind = Kind.Bytes;
  readonly buffer: VBuffer;
  /** A view of the buffer's bytes; views of one buffer share memory as in JavaScript. */
  bytes: Uint8Array;

  constructor(proto: VObject | null, buffer: VBuffer, bytes: Uint8Array) {
    super(proto);
    this.buffer = buffer;
    this.bytes = bytes;
  }
}

/** The `ArrayBuffer` behind byte arrays. */
export class VBuffer extends VObject {
  readonly kind = Kind.Buffer;
  readonly data: Uint8Array;

  constructor(proto: VObject | null, data: Uint8Array) {
    super(proto);
    this.data = data;
  }
}

/** URL and URLSearchParams keep their state as text and pairs; the two know each other. */
export class VUrl extends VObject {
  readonly kind = Kind.Url;
  href: string;
  params: VUrlParams | null = null;

  constructor(proto: VObject | null, href: string) {
    super(proto);
    this.href = href;
  }
}

export class VUrlParams extends VObject {
  readonly kind = Kind.UrlParams;
  pairs: [string, string][];
  url: VUrl | null;

  constructor(proto: VObject | null, pairs: [string, string][], url: VUrl | null) {
    super(proto);
    this.pairs = pairs;
    this.url = url;
  }
}

export class VRegExp extends VObject {
  readonly kind = Kind.RegExp;
  readonly source: string;
  readonly flags: string;

  constructor(proto: VObject | null, source: string, flags: string) {
    super(proto);
    this.source = source;
    this.flags = flags;
  }
}

export class VEncoder extends VObject {
  readonly kind = Kind.Encoder;
}

export class VDecoder extends VObject {
  readonly kind = Kind.Decoder;
  readonly fatal: boolean;
  readonly ignoreBom: boolean;
  /** Bytes of an unfinished sequence (`stream: true`). */
  pending: number[] = [];
  bomSeen = false;

  constructor(proto: VObject | null, fatal: boolean, ignoreBom: boolean) {
    super(proto);
    this.fatal = fatal;
    this.ignoreBom = ignoreBom;
  }
}
