import { describe, expect, it } from "vitest";
import { openRest, type RestBed } from "../support/test-rest.ts";
import { approved } from "../workflows/basics.ts";
import { same } from "../workflows/clients.ts";

const TOO_LARGE = '{"cents":[0,1e400]}';
const ODD =
  '{"z":-0,"tiny":-1e-400,"list":[-0,0,1e21,-1.5],"-0":"-0 1e400","__proto__":{"$number":"-0"},"more":[null,true]}';
const AS_STORED =
  '{"z":-0,"tiny":-0,"list":[-0,0,1e+21,-1.5],"-0":"-0 1e400","__proto__":{"$number":"-0"},"more":[null,true]}';

const later = '"runAt":"2126-01-01T00:00:00Z"';

async function tokenOf(rest: RestBed, id: string, value = ""): Promise<string> {
  const { status, body } = await rest.ask("POST", `/runs/${id}/tokens`, `{"signal":"approval"${value}}`);
  expect(status, JSON.stringify(body)).toBe(201);
  return String(body["url"]);
}

describe("a value that is sent", () => {
  it("has the numbers that were sent: one that is too large for a number is refused, wherever it comes in", async () => {
    const rest = await openRest();
    const id = await rest.start(approved.name);
    const ways: [method: string, path: string, body: string, where: string][] = [
      ["POST", "/runs", `{"type":"${same.name}","payload":${TOO_LARGE}}`, "payload.cents.1"],
      ["POST", "/runs", `{"type":"${same.name}","converted":true,"payload":-1e400}`, "payload"],
      ["POST", `/runs/${id}/signal`, `{"name":"approval","value":${TOO_LARGE}}`, "value.cents.1"],
      ["POST", `/runs/${id}/tokens`, `{"signal":"approval","value":${TOO_LARGE}}`, "value.cents.1"],
      ["PUT", `/schedules/${same.name}/odd`, `{"everyMs":60000,"payload":${TOO_LARGE}}`, "payload.cents.1"],
      ...["true", "false"].map((dry): [string, string, string, string] => [
        "POST",
        "/runs/bulk",
        `{"action":"signal","filter":{"type":"${approved.name}"},"name":"approval","value":${TOO_LARGE},"dryRun":${dry}}`,
        "value.cents.1",
      ]),
    ];
    for (const [method, path, body, where] of ways)
      expect(await rest.ask(method, path, body), body).toMatchObject({
        status: 400,
        body: { code: "InvalidMessage", detail: `${where}: the number is out of range` },
      });
    const run = (payload: string): string => `{"type":"${same.name}",${later},"payload":${payload}}`;
    const batch = await rest.ask("POST", "/runs/batch", `{"runs":[${run(TOO_LARGE)},${run("1e308")}]}`);
    expect(batch.body["items"]).toMatchObject([
      { problem: { status: 400, detail: "payload.cents.1: the number is out of range" } },
      { existed: false },
    ]);
    const headers = { "content-type": "application/json" };
    const posted = await fetch(await tokenOf(rest, id), { method: "POST", headers, body: TOO_LARGE });
    expect([posted.status, await posted.json()]).toMatchObject([
      400,
      { detail: "body.cents.1: the number is out of range" },
    ]);
    expect(await rest.bed.query("SELECT FROM cairn.sent_letters")).toEqual([]);
    expect(await rest.bed.query("SELECT FROM cairn.schedules")).toEqual([]);
    expect(rest.warnings).toEqual([]);
  });

  it("keeps -0, wherever it comes in", async () => {
    const rest = await openRest();
    const payloads = async (where: string): Promise<unknown[]> =>
      (await rest.bed.query<{ payload: string }>(`SELECT payload::text FROM ${where}`)).map(({ payload }) => payload);
    const run = `{"type":"${same.name}",${later},"payload":${ODD}}`;
    expect((await rest.ask("POST", "/runs", run)).status).toBe(201);
    expect((await rest.ask("POST", "/runs/batch", `{"runs":[${run}]}`)).status).toBe(200);
    expect(await payloads("cairn.workflow_run")).toEqual([AS_STORED, AS_STORED]);
    const schedule = `{"everyMs":86400000,"payload":${ODD}}`;
    expect((await rest.ask("PUT", `/schedules/${same.name}/odd`, schedule)).status).toBe(200);
    expect(await payloads("cairn.schedules")).toEqual([AS_STORED]);
    const id = await rest.start(approved.name);
    expect((await rest.ask("POST", `/runs/${id}/signal`, '{"name":"approval","value":-0}')).status).toBe(202);
    expect((await fetch(await tokenOf(rest, id, ',"value":[-0]'), { method: "POST" })).status).toBe(202);
    // The program had it, and said it in its own words.
    const minus = { $number: "-0" };
    expect((await rest.result(id)).body).toMatchObject({ status: "succeeded", result: [minus, [minus]] });
    const other = await rest.start(approved.name);
    const headers = { "content-type": "application/json" };
    expect((await fetch(await tokenOf(rest, other), { method: "POST", headers, body: "-0" })).status).toBe(202);
    const bulk = `{"action":"signal","filter":{"type":"${approved.name}","status":["pending","leased"]},"name":"approval","value":{"n":-0}}`;
    expect((await rest.ask("POST", "/runs/bulk", bulk)).body).toMatchObject({ done: 1 });
    expect((await rest.result(other)).body).toMatchObject({ result: [minus, { n: minus }] });
    expect(rest.warnings).toEqual([]);
  });

  it("is compared as a text under its key: white space and how a number is written make no other one, the order of names does", async () => {
    const rest = await openRest();
    const start = async (payload: string): Promise<number> => {
      const body = `{"type":"${same.name}",${later},"payload":${payload}}`;
      return (await rest.ask("POST", "/runs", body, { "idempotency-key": "one" })).status;
    };
    expect(await start('{"a":1,"b":100}')).toBe(201);
    expect(await start(' { "a" : 1.0 , "b" : 1e2 } ')).toBe(200);
    expect(await start('{"b":100,"a":1}')).toBe(409);
  });

  it("that is no value is refused before anybody is told that it will be sent", async () => {
    const rest = await openRest();
    const id = await rest.start(approved.name);
    const value = { $bogus: 1 };
    const refusal = {
      status: 400,
      body: { code: "InvalidMessage", detail: expect.stringContaining('no tag "$bogus"') },
    };
    expect(await rest.ask("POST", `/runs/${id}/tokens`, { signal: "approval", value })).toMatchObject(refusal);
    const order = { action: "signal", filter: { type: approved.name }, name: "approval", value };
    for (const dryRun of [true, false])
      expect(await rest.ask("POST", "/runs/bulk", { ...order, dryRun })).toMatchObject(refusal);
  });
});

describe("a body", () => {
  const LATIN = Buffer.from(`{"type":"${same.name}","payload":"caf\xe9"}`, "latin1");
  const cases: [what: string, type: string, body: Buffer | string, status: number, says: string][] = [
    ["bytes that are no UTF-8", "application/json", LATIN, 400, "The body is not UTF-8"],
    ["half of a letter", "application/json", Buffer.from([0x22, 0xc3]), 400, "The body is not UTF-8"],
    ["another charset", "application/json; charset=iso-8859-1", LATIN, 415, "iso-8859-1"],
    ["another one, in quotes", 'application/json; a=b; Charset="UTF-16LE"', "{}", 415, "utf-16le"],
  ];

  it("is UTF-8: what is not is refused, and no letter becomes another one", async () => {
    const rest = await openRest();
    const post = async (url: string, type: string, body: Buffer | string): Promise<[number, string]> => {
      const response = await fetch(url, { method: "POST", headers: { "content-type": type }, body });
      return [response.status, await response.text()];
    };
    const runs = `http://127.0.0.1:${rest.plane.httpPort}/v1/runs`;
    const url = await tokenOf(rest, await rest.start(approved.name));
    for (const [what, type, body, status, says] of cases) {
      for (const to of [runs, url]) {
        const [answered, text] = await post(to, type, body);
        expect([answered, text], what).toEqual([status, expect.stringContaining(says)]);
      }
    }
    const form = "application/x-www-form-urlencoded";
    const posted: [type: string, body: Buffer | string, status: number][] = [
      ["text/plain", Buffer.from("caf\xe9", "latin1"), 400],
      ["text/plain; charset=iso-8859-1", Buffer.from("caf\xe9", "latin1"), 415],
      [form, Buffer.from("a=caf\xe9", "latin1"), 400],
      [form, "a=caf%E9", 400],
      [form, "%c3=1&a=%a9", 400],
      [`${form}; charset=windows-1252`, "a=caf%E9", 415],
      [`${form}; charset=utf-8`, "a=caf%C3%A9+é+100%+%zz", 202],
    ];
    for (const [type, body, status] of posted) expect((await post(url, type, body))[0], `${type} ${body}`).toBe(status);
    const start = `{"type":"${same.name}","payload":"café 🚲"}`;
    for (const charset of ["utf-8", "UTF8", '"utf-8"', "us-ascii"])
      expect((await post(runs, `application/json; charset=${charset}`, start))[0], charset).toBe(201);
    const rows = await rest.bed.query<{ payload: string }>(
      "SELECT payload::text FROM cairn.runs WHERE payload::text LIKE '%caf%'",
    );
    expect(new Set(rows.map(({ payload }) => payload))).toEqual(new Set(['"café 🚲"']));
    expect(rest.warnings).toEqual([]);
  });
});
