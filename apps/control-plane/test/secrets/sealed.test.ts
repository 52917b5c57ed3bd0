import { readFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { type PayloadCodec, sealed, type Sealed } from "cairnjs";
import { ENGINE_ERRORS, opening } from "cairnjs/host";
import fc from "fast-check";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { dumpTables, formsOf } from "../support/dump-tables.ts";
import { openWorker } from "../support/open-worker.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { sealedJson, testCodec } from "../support/test-sealing.ts";
import { beat, passing, read } from "../workflows/sealing.ts";
import { visit } from "../workflows/sealed-page.ts";

let codec: PayloadCodec;

beforeAll(async () => {
  codec = await testCodec();
});

/** A way to a port, and all that went over it. */
async function recorded(port: number): Promise<{ readonly port: number; readonly bytes: Buffer[] }> {
  const bytes: Buffer[] = [];
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", (chunk: Buffer) => {
        bytes.push(chunk);
        to.write(chunk);
      });
      from.on("error", () => {});
      from.on("close", () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, bytes };
}

interface SealedBed {
  readonly bed: TestBed;
  readonly frames: readonly Buffer[];
  readonly lines: readonly string[];
  ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
}

async function openSealed(withCodec = true): Promise<SealedBed> {
  const bed = await testBed();
  const lines: string[] = [];
  const onWarning = (message: string, error: unknown): void => void lines.push(message, String(error));
  // It is not told of others: all that it hears comes this way.
  const plane = await openPlane(bed, { listen: { grpc: "127.0.0.1:0", http: "127.0.0.1:0" }, onWarning });
  const way = await recorded(plane.port);
  const write = (facts: object, message: string): void => void lines.push(message, JSON.stringify(facts));
  openWorker(way.port, [""], {
    logger: { debug: write, info: write, warn: write, error: write },
    log: (line) => lines.push(line),
    ...(withCodec ? { codec } : {}),
  });
  await until(async () => (await bed.query("SELECT FROM cairn.worker_status")).length > 0);
  return {
    bed,
    frames: way.bytes,
    lines,
    ask: async (method, path, body) => {
      const response = await fetch(`http://127.0.0.1:${plane.httpPort}/v1${path}`, {
        method,
        ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
      });
      return (await response.json()) as Record<string, unknown>;
    },
  };
}

describe("sealed values", () => {
  it("are read by actions, at any depth, and appear in no row, no frame and no log", async () => {
    const { bed, frames, lines, ask } = await openSealed();
    const plain = fc
      .tuple(fc.string({ unit: "grapheme", minLength: 1 }), fc.uuid())
      .map(([text, id]) => `${text} ${id}`);
    const secrets: string[] = [];
    const told: string[] = [];
    await fc.assert(
      fc.asyncProperty(plain, plain, plain, async (text, inner, word) => {
        secrets.push(...[text, inner, word].map((each) => each.slice(-36)));
        const payload = await sealedJson(codec, { parcel: sealed({ text, inner: sealed(inner) }) });
        const { id } = await ask("POST", "/runs", { type: passing.name, payload });
        await ask("POST", `/runs/${String(id)}/signal`, {
          name: "approval",
          value: await sealedJson(codec, sealed(word)),
        });
        const { result, error } = await ask("GET", `/runs/${String(id)}/result?waitMs=30000`);
        expect(error).toBeUndefined();
        const opened = (await opening({ text: JSON.stringify(result), classes: ENGINE_ERRORS }, codec)) as {
          readonly first: { readonly again: Sealed<string>; readonly count: number };
          readonly approved: Sealed<string>;
          readonly refusal: string;
        };
        expect(opened.first.again.value).toBe([text, text, text].join("|"));
        expect([opened.first.count, opened.approved.value, opened.refusal]).toEqual([3, word, "refused"]);
        expect(read.splice(0)).toEqual([text, inner, text, inner, text, inner]);
        for (const part of ["", "/history", "/steps", "/attempts", "/events", "/export"]) {
          told.push(JSON.stringify(await ask("GET", `/runs/${String(id)}${part}`)));
        }
      }),
      { numRuns: 8 },
    );
    const sent = Buffer.concat(frames).toString("latin1");
    expect(sent).toContain("cairn.sealed");
    const everything = [await dumpTables(bed), sent, ...lines, ...told].join("\n");
    expect(lines.join("\n")).toContain("[sealed]");
    for (const form of secrets.flatMap(formsOf)) expect(everything).not.toContain(form);
  });

  it("cannot be told by a heartbeat, where nothing would seal them", async () => {
    const { bed, ask } = await openSealed();
    const { id } = await ask("POST", "/runs", {
      type: beat.name,
      payload: await sealedJson(codec, sealed({ text: "tell-nobody" })),
    });
    const { error } = await ask("GET", `/runs/${String(id)}/result?waitMs=30000`);
    expect(JSON.stringify(error)).toContain("no codec is given");
    expect(await dumpTables(bed)).not.toContain("tell-nobody");
  });

  it("are not read by a worker without the codec, or with another key: the call fails once, and says why", async () => {
    const without = await openSealed(false);
    const payload = await sealedJson(codec, sealed({ text: "x" }));
    const { id } = await without.ask("POST", "/runs", { type: beat.name, payload });
    expect(await without.ask("GET", `/runs/${String(id)}/result?waitMs=30000`)).toMatchObject({
      status: "failed",
      error: { $error: { names: ["SealedUnread", "Error"], message: expect.stringContaining("CAIRN_CODEC") } },
    });
    const { items } = await without.ask("GET", `/runs/${String(id)}/attempts`);
    expect(items).toHaveLength(1);
    const other: PayloadCodec = { encode: (bytes) => bytes, decode: (bytes) => bytes };
    const text = JSON.stringify(payload);
    await expect(opening({ text, classes: ENGINE_ERRORS }, other)).rejects.toThrow("of another codec, or another key");
    const failing: PayloadCodec = { ...other, decode: () => Promise.reject(new RangeError("the plain text")) };
    await expect(opening({ text, classes: ENGINE_ERRORS }, failing)).rejects.toThrow(
      "has thrown an error (RangeError)",
    );
  });

  it("are what library mode starts, signals and gives back, with its codec", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ codec });
    const run = await cairn.start(passing, { parcel: sealed({ text: "in the library" }) });
    await run.signal("approval", sealed("granted by the library"));
    const { first, approved } = await run.result();
    expect([first.again.value, approved.value]).toEqual([
      "in the library|in the library|in the library",
      "granted by the library",
    ]);
    read.length = 0;
    expect(await dumpTables(bed)).not.toMatch(/in the library|granted by the library/);
    const blind = await bed.open();
    const { approved: closed } = (await blind.run(run.id).result()) as { readonly approved: Sealed<string> };
    expect(() => closed.value).toThrow("was not opened here");
    await expect(blind.start(passing, { parcel: sealed({ text: "x" }) })).rejects.toThrow("createCairn({ codec })");
  });
});

it("docs/sealed.md: its modules are those that run here", async () => {
  const page = readFileSync(new URL("../../../../docs/sealed.md", import.meta.url), "utf8");
  const blocks = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, text]) => text!.trim());
  for (const [index, file] of ["../support/sealed-codec.ts", "../workflows/sealed-page.ts"].entries()) {
    expect(blocks[index]).toBe(readFileSync(new URL(file, import.meta.url), "utf8").trim());
  }
  const bed = await testBed();
  const cairn = await bed.open({ codec });
  // From the page:
  const run = await cairn.start(visit, "7");
  const { letters, patient } = await run.result();
  expect(`${letters} ${patient.value.name}`).toBe("10 Ada 7");
  expect(blocks[2]).toContain(
    'const run = await cairn.start(visit, "7");\nconst { letters, patient } = await run.result();',
  );
});
