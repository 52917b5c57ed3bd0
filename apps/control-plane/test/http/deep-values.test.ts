import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createClient } from "cairnjs/client";
import { expect, it } from "vitest";
import { StoredJson, writtenWith } from "../../src/stored-json.ts";
import { testBed, until } from "../support/test-engine.ts";
import { QUICK } from "../support/test-outbox.ts";
import { openRest } from "../support/test-rest.ts";
import { testSubscriber } from "../support/test-subscriber.ts";
import { sums } from "../workflows/basics.ts";
import { minusZero, nesting } from "../workflows/deep.ts";

/** More than `JSON.stringify` can write. */
const DEPTH = 20_000;

/** Of a value that is nothing but lists within each other. */
function depthOf(value: unknown): number {
  let depth = 0;
  for (let inner = value; Array.isArray(inner); inner = inner[0] as unknown) depth += 1;
  return depth;
}

it("values that are nested deeply can be seen wherever values are, over REST and by the client", async () => {
  const rest = await openRest();
  const subscriber = await testSubscriber();
  const target = { kind: "webhook", url: subscriber.url };
  await rest.ask("PUT", "/subscriptions/deep", { types: ["deep.*"], target, ...QUICK });
  const client = createClient({ url: `http://127.0.0.1:${rest.plane.httpPort}` });
  const run = await client.start(nesting, DEPTH);
  expect(depthOf(await run.result())).toBe(DEPTH);
  for (const part of ["", "/result", "/steps", "/events", "/timeline", "/history?values=true", "/export"]) {
    const { status, body } = await rest.ask("GET", `/runs/${run.id}${part}`);
    expect(status, part).toBe(200);
    const all = (body["items"] as Record<string, unknown>[] | undefined) ?? [body];
    const values = all.flatMap((each) => ["result", "data", "value"].map((name) => each[name]));
    const entries = all.flatMap(({ entry, run: own }) => [entry, own] as (Record<string, unknown> | undefined)[]);
    const depths = [...values, ...entries.flatMap((entry) => [entry?.["data"], entry?.["result"]])].map(depthOf);
    expect(Math.max(...depths), part).toBe(DEPTH);
  }
  expect(depthOf((await run.steps())[0]!.result)).toBe(DEPTH);
  expect(depthOf((await run.show()).result)).toBe(DEPTH);
  const chunks = [];
  for await (const { value } of run.stream()) chunks.push(depthOf(value));
  expect(chunks).toEqual([DEPTH]);
  const { body } = await rest.ask("GET", "/outbox");
  const [event] = body["items"] as { readonly id: number }[];
  expect(depthOf((await rest.ask("GET", `/outbox/${event!.id}`)).body["data"])).toBe(DEPTH);
  await until(async () => subscriber.received.length > 0);
  expect(depthOf((JSON.parse(subscriber.received[0]!.body) as { data: unknown }).data)).toBe(DEPTH);
  expect(rest.warnings).toEqual([]);
});

it("a run with such a value is archived, in one line, whatever lines SQL has given it", async () => {
  const bed = await testBed();
  const archive = mkdtempSync(join(tmpdir(), "cairn-deep-"));
  const cairn = await bed.open({ onWarning: () => {}, retention: { runs: "1d", archive } });
  const run = await cairn.start(nesting, DEPTH);
  await run.result();
  const [row] = await bed.query<{ id: string }>(`SELECT cairn.start_run('${sums.name}', E'{"n":\\n2\\r\\n}') AS id`);
  await cairn.run(row!.id).result();
  await bed.advance(2 * 24 * 60 * 60 * 1_000);
  expect(await cairn.retention.run()).toMatchObject({ runsArchived: 2, runsRemoved: 2 });
  const files = readdirSync(archive, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".gz"));
  const lines = files
    .flatMap((file) =>
      gunzipSync(readFileSync(join(archive, file)))
        .toString()
        .trim()
        .split("\n"),
    )
    .map((line) => JSON.parse(line) as { readonly run: { readonly id: string; readonly result: unknown } });
  expect(lines.map((line) => line.run.id).toSorted()).toEqual([run.id, row!.id].toSorted());
  expect(Math.max(...lines.map((line) => depthOf(line.run.result)))).toBe(DEPTH);
});

it("the client reads a minus zero as what it is", async () => {
  const rest = await openRest();
  const client = createClient({ url: `http://127.0.0.1:${rest.plane.httpPort}` });
  expect(Object.is(await (await client.start(minusZero)).result(), -0)).toBe(true);
});

it("what is stored stands in a text as it is, and others who write it write the same", () => {
  const answer = { a: new StoredJson('{"x":[-0,1e400]}'), b: [new StoredJson("[\n1\r\n]"), "stored"] };
  expect(writtenWith(() => JSON.stringify(answer))).toBe('{"a":{"x":[-0,1e400]},"b":[[ 1  ],"stored"]}');
  expect(JSON.stringify(answer.b)).toBe('[[1],"stored"]');
  expect(writtenWith(() => JSON.stringify({ none: 1 }))).toBe('{"none":1}');
});
