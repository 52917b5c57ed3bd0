import { request } from "node:http";
import { expect, it } from "vitest";
import { AnswerCheck, textOf } from "../support/answer-check.ts";
import { cuttingProxy } from "../support/cutting-proxy.ts";
import { type DocumentedOperation, documentOf, operationsOf } from "../support/open-api.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { openRest } from "../support/test-rest.ts";
import { CASES, type Sent, TOKEN } from "./response-cases.ts";
import { World } from "./response-world.ts";

const tokens = [
  { token: TOKEN },
  { token: "worker", scopes: ["worker" as const] },
  { token: "elsewhere", namespace: "elsewhere" },
];
const listen = { grpc: "127.0.0.1:0", http: "127.0.0.1:0" };
/** More than a batch may have, which may have most. */
const TOO_LARGE = 65 * 1024 * 1024;
/** The statuses that are made of the success, alike for all. */
const ALIKE = new Set(["400", "401", "403", "413", "415", "429", "503"]);
/** Too many of these are more than is asked for here: public-limits.test.ts has them. */
const PROBES = new Set(["isAlive", "isReady", "getLiveness", "getReadiness"]);
/** It has to be looked for in the database whose it is. */
const SOME_KEY = `Bearer cairn_abcdefgh_${"x".repeat(43)}`;
/** Operations that are asked for beside each other. */
const TOGETHER = 8;

it("every documented response of every operation is answered, and nothing else than its schema says", async () => {
  const masterKey = Buffer.alloc(32, 1).toString("base64");
  const rest = await openRest({ tokens, token: TOKEN, rate: false, patienceMs: 0, secrets: { masterKey } });
  const { bed } = rest;
  const limited = await openPlane(bed, { listen, tokens, rate: { perSecond: 0.001, burst: 1 } });
  const keyless = await openPlane(bed, { listen, tokens, rate: false });
  const proxy = await cuttingProxy(bed.url);
  const away = await openPlane(bed, { listen, tokens, rate: false, databaseUrl: proxy.url, patienceMs: 0 });
  proxy.goAway();
  const port = rest.plane.httpPort!;
  const document = await documentOf(port);
  const check = new AnswerCheck(document);
  const world = new World(rest);
  const failures: string[] = [];

  const send = async (
    to: number,
    { method }: DocumentedOperation,
    { url, body, headers: own = {} }: Sent,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> => {
    const json = body === undefined ? {} : { "content-type": "application/json" };
    return fetch(`http://127.0.0.1:${to}${url}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, ...json, ...own, ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  };
  /** One after another: of bodies that large, one who asks may have one at a time. */
  let announced: Promise<unknown> = Promise.resolve();
  const tooLarge = (method: string, url: string): Promise<Response> => {
    const answer = announced.then(() => announce(port, method, url));
    announced = answer;
    return answer;
  };
  /** Nobody has anything left: of the caller, and of the address. */
  await fetch(`http://127.0.0.1:${limited.httpPort}/v1/tokens/none`);
  await fetch(`http://127.0.0.1:${limited.httpPort}/v1/me`, { headers: { authorization: `Bearer ${TOKEN}` } });
  /** What gives this status, of a request that would be right. */
  const alike = async (operation: DocumentedOperation, status: string, right: Sent): Promise<Response> => {
    const { url, body } = right;
    const scope = operation.operation["x-cairn-scope"];
    if (status === "400") return send(port, operation, { url: `${url}?strange=1`, body });
    if (status === "401") return send(port, operation, right, { authorization: "Bearer nobody" });
    if (status === "403") {
      if (scope !== "any") return send(port, operation, right, { authorization: "Bearer worker" });
      const elsewhere = { authorization: "Bearer elsewhere" };
      return send(port, operation, { url: `${url}?namespace=default`, body }, elsewhere);
    }
    if (status === "413") return tooLarge(operation.method, url);
    if (status === "415") return send(port, operation, { url, body: "x" }, { "content-type": "image/png" });
    if (status === "429") return send(limited.httpPort!, operation, right);
    const answer = await send(away.httpPort!, operation, right);
    if (answer.status === 503 || scope === "public") return answer;
    await answer.body?.cancel();
    // It needs no database, but to know who asks.
    return send(away.httpPort!, operation, right, { authorization: SOME_KEY });
  };

  let produced = 0;
  const produce = async (operation: DocumentedOperation): Promise<void> => {
    const cases = CASES[operation.id];
    const success = Object.entries(cases ?? {}).find(([status]) => status.startsWith("2"))?.[1];
    if (cases === undefined || success === undefined) {
      failures.push(`${operation.id} has no case with a success: add it to response-cases.ts`);
      return;
    }
    // Of what is refused for all alike, nothing is done: one request is enough for these.
    const right = await success(world);
    const statuses = [...operation.responses.keys()].filter((status) => status !== "default");
    for (const status of Object.keys(cases)) {
      if (!statuses.includes(status))
        failures.push(`${operation.id} has a case for ${status}, which is not documented`);
    }
    for (const status of statuses) {
      const own = cases[status];
      if (status === "429" && PROBES.has(operation.id)) continue;
      if (own === undefined && !ALIKE.has(status)) {
        failures.push(`${operation.id} has no case for ${status}`);
        continue;
      }
      const sent = own === undefined ? right : own === success ? right : await own(world);
      const to = sent.keyless === true ? keyless.httpPort! : port;
      const response = own === undefined ? await alike(operation, status, sent) : await send(to, operation, sent);
      produced += 1;
      const said = await textOf(response);
      if (String(response.status) !== status) {
        failures.push(`${operation.id} answers ${response.status}, not ${status}: ${said.slice(0, 300)}`);
        continue;
      }
      const wrong = check.mistakeOf(operation, response.status, response.headers.get("content-type"), said);
      if (wrong !== null) failures.push(`${operation.id} ${status}: ${wrong}`);
    }
  };
  const left = operationsOf(document).values();
  await Promise.all(
    Array.from({ length: TOGETHER }, async () => {
      for (const operation of left) await produce(operation);
    }),
  );
  expect(failures).toEqual([]);
  expect(produced).toBeGreaterThan(500);
  expect(rest.warnings).toEqual([]);
}, 120_000);

/** Says that a body comes which is too large, and sends nothing of it: it is refused by its length. */
function announce(port: number, method: string, path: string): Promise<Response> {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", "content-length": TOO_LARGE };
  return new Promise((resolve, reject) => {
    const asked = request({ port, method, path, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => void parts.push(part));
      answer.on("end", () => {
        const type = answer.headers["content-type"] ?? "";
        resolve(new Response(Buffer.concat(parts), { status: answer.statusCode!, headers: { "content-type": type } }));
        asked.destroy();
      });
    });
    asked.on("error", reject);
    asked.flushHeaders();
  });
}
