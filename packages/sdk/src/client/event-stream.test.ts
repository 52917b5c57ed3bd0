import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventStreamReader, type ServerEvent } from "./event-stream.ts";

const lineEnd = fc.constantFrom("\n", "\r", "\r\n");
/** What no line has in it. */
const text = fc.string({ unit: fc.constantFrom("a", ":", " ", "ü", "😀", "\u2028", "{", "id") });
const block = fc.record({
  event: fc.option(fc.constantFrom("end", "dropped", "message"), { nil: null }),
  data: fc.array(text, { maxLength: 3 }),
  id: fc.option(text, { nil: null }),
  comment: fc.boolean(),
});

describe("the reader of event streams", () => {
  it("reads what was written, however it is cut and whichever ends lines have", () => {
    const cuts = fc.array(fc.nat({ max: 40 }), { minLength: 1 });
    fc.assert(
      fc.property(
        fc.array(block),
        fc.array(lineEnd, { minLength: 1 }),
        cuts,
        fc.boolean(),
        (blocks, ends, sizes, bom) => {
          let written = bom ? "\ufeff" : "";
          let lines = 0;
          let id: string | null = null;
          const expected: ServerEvent[] = [];
          const line = (said: string): void => {
            const end = ends[lines++ % ends.length]!;
            // Else the two would be read as one end of a line.
            written += said === "" && end === "\n" && written.endsWith("\r") ? "\r\n" : said + end;
          };
          for (const each of blocks) {
            if (each.comment) line(": still here");
            if (each.event !== null) line(`event: ${each.event}`);
            for (const data of each.data) line(`data: ${data}`);
            if (each.id !== null) line(`id: ${each.id}`);
            line("");
            id = each.id ?? id;
            if (each.data.length > 0) expected.push({ event: each.event ?? "message", data: each.data.join("\n"), id });
          }
          const reader = new EventStreamReader();
          const bytes = new TextEncoder().encode(written);
          const read: ServerEvent[] = [];
          for (let at = 0, cut = 0; at < bytes.length; cut++) {
            const size = sizes[cut % sizes.length]! + (cut % 7 === 6 ? 1 : 0);
            read.push(...reader.read(bytes.subarray(at, at + size)));
            at += size;
          }
          expect(read).toEqual(expected);
          expect(reader.lastId).toBe(id);
        },
      ),
    );
  });

  it("tells nothing of an event that is not complete, and nothing but its id of one without data", () => {
    const reader = new EventStreamReader("5");
    const read = (said: string): ServerEvent[] => reader.read(new TextEncoder().encode(said));
    expect(read("id: 6\ndata: a")).toEqual([]);
    expect(reader.lastId).toBe("5");
    expect(read("\r")).toEqual([]);
    expect(read("\n\r")).toEqual([{ event: "message", data: "a", id: "6" }]);
    expect(read("\nid: 7\n\nid: 8\0\nretry: 250\nretry: x\nunknown\ndata\n\n")).toEqual([
      { event: "message", data: "", id: "7" },
    ]);
    expect(reader.retryMs).toBe(250);
  });

  it.each(["line", "event"])("does not keep a %s that has no end", (what) => {
    const reader = new EventStreamReader();
    const piece = "a".repeat(1_000_000);
    const bytes = new TextEncoder().encode(what === "line" ? piece : `data: ${piece}\n`);
    expect(() => {
      for (let index = 0; index < 80; index++) reader.read(bytes);
    }).toThrow("too long");
  });
});
