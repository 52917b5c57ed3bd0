/** One event of `text/event-stream`. */
export interface ServerEvent {
  /** `message` if nothing is said. */
  readonly event: string;
  readonly data: string;
  /** What resumes behind it: its own id, or that of an earlier one. */
  readonly id: string | null;
}

/** The longest event: the largest value, and what stands around it, counted twice where it comes in pieces. */
const EVENT_LENGTH_MAX = 64 * 1024 * 1024;

/**
 * Reads `text/event-stream` as the HTML standard defines it, from pieces that are cut anywhere. An event that is cut off by the end
 * of the stream was never there.
 */
export class EventStreamReader {
  /** Of the last block that was complete, with or without an event in it. */
  lastId: string | null;
  /** What the server wants to be waited before the next connection. */
  retryMs: number | null = null;
  /** Takes away a BOM at the beginning, too. */
  readonly #decoder = new TextDecoder();
  /** A line whose end has not come, in pieces: to search it again and again would take long. */
  #begun: string[] = [];
  /** Of what is kept of an event that is not complete. */
  #length = 0;
  /** The last piece ended with CR: a LF at the beginning of the next one belongs to it. */
  #isAfterCr = false;
  #event = "";
  #data: string[] = [];
  #id: string | null;

  constructor(lastId: string | null = null) {
    this.lastId = lastId;
    this.#id = lastId;
  }

  /** The events that these bytes complete. */
  read(bytes: Uint8Array): ServerEvent[] {
    const text = this.#decoder.decode(bytes, { stream: true });
    const events: ServerEvent[] = [];
    let from = this.#isAfterCr && text.startsWith("\n") ? 1 : 0;
    if (text !== "") this.#isAfterCr = text.endsWith("\r");
    LINE_END.lastIndex = from;
    for (let end = LINE_END.exec(text); end !== null; end = LINE_END.exec(text)) {
      const event = this.#take(this.#begun.join("") + text.slice(from, end.index));
      if (event !== null) events.push(event);
      this.#begun = [];
      from = LINE_END.lastIndex;
    }
    this.#keep(text.slice(from));
    return events;
  }

  #keep(piece: string): void {
    if (piece === "") return;
    this.#begun.push(piece);
    this.#grow(piece.length);
  }

  #grow(length: number): void {
    this.#length += length;
    if (this.#length > EVENT_LENGTH_MAX) throw new RangeError("An event of the stream is too long");
  }

  /** An empty line completes what the lines before it have said. */
  #take(line: string): ServerEvent | null {
    if (line === "") return this.#complete();
    this.#grow(line.length + 1);
    const colon = line.indexOf(":");
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") this.#event = value;
    else if (field === "data") this.#data.push(value);
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "retry" && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
    return null;
  }

  #complete(): ServerEvent | null {
    const [event, data] = [this.#event, this.#data];
    this.#event = "";
    this.#data = [];
    this.#length = 0;
    this.lastId = this.#id;
    if (data.length === 0) return null;
    return { event: event === "" ? "message" : event, data: data.join("\n"), id: this.lastId };
  }
}

const LINE_END = /\r\n|\r|\n/g;
