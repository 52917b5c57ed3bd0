import { mkdtemp, mkdir, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openControlPlane } from "../../src/index.ts";
import { NatsSink } from "../../src/outbox/nats-sink.ts";
import { openRest, type RestBed } from "../support/test-rest.ts";

async function folderOf(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "reach-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function set(rest: RestBed, target: unknown): ReturnType<RestBed["ask"]> {
  return rest.ask("PUT", "/subscriptions/s", { types: ["x"], target });
}

async function tested(rest: RestBed): Promise<Readonly<Record<string, unknown>>> {
  return (await rest.ask("POST", "/subscriptions/s/test")).body;
}

/** Whatever anyone sends to it. */
async function listening(): Promise<{ port: number; heard: () => string }> {
  let text = "";
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => (text += bytes.toString()));
    socket.write('INFO {"server_id":"x","version":"2.10.0","proto":1,"max_payload":1000000,"headers":true}\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, heard: () => text };
}

it("subscriptions have nothing of the control plane that its settings do not give them", async () => {
  const folder = await folderOf();
  const rest = await openRest();
  process.env["REACH_SECRET"] = "in the environment";
  onTestFinished(() => void delete process.env["REACH_SECRET"]);
  await writeFile(join(folder, "victim"), "before");
  const nats = { kind: "nats", url: "127.0.0.1:1", subject: "x" };
  const webhook = { kind: "webhook", url: "http://127.0.0.1:1/" };
  const targets = [
    { ...nats, token: { env: "REACH_SECRET" } },
    { ...nats, token: { env: "CAIRN_TOKEN" } },
    { ...nats, credentials: { file: join(folder, "victim") } },
    { ...webhook, secrets: [{ env: "DATABASE_URL" }] },
    { ...webhook, headers: { "x-it": { file: join(folder, "victim") } } },
    { kind: "file", path: join(folder, "victim"), rotateBytes: 1 },
  ];
  for (const target of targets) {
    expect(await set(rest, target), JSON.stringify(target)).toMatchObject({
      status: 400,
      body: { code: "InvalidOption" },
    });
    // One that was made elsewhere, as in library mode, has no more of this process.
    await set(rest, webhook);
    await rest.bed.query(`UPDATE cairn.subscriptions SET target = '${JSON.stringify(target)}'`);
    expect(await tested(rest), JSON.stringify(target)).toMatchObject({
      taken: false,
      error: expect.stringMatching(/Subscriptions may|subscriptions may/),
    });
  }
  expect(await readdir(folder)).toEqual(["victim"]);
  expect(await readFile(join(folder, "victim"), "utf8")).toBe("before");
});

it("what the settings give is below their folders, whichever links and dots there are, and never a setting itself", async () => {
  const folder = await folderOf();
  const [events, secrets, outside] = ["events", "secrets", "outside"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [events, secrets, outside]) await mkdir(each);
  await writeFile(join(secrets, "hook"), "Bearer of-a-file\n");
  await writeFile(join(outside, "key"), "the master key");
  await symlink(join(outside, "key"), join(secrets, "link"));
  await symlink(outside, join(events, "link"));
  await symlink(join(outside, "new"), join(events, "dangling"));
  const rest = await openRest({
    outbox: { allow: { env: ["REACH_SECRET"], secretsFolder: secrets, eventsFolder: events } },
  });
  for (const path of ["a/b.jsonl", join(events, "c.jsonl")]) {
    expect(await set(rest, { kind: "file", path })).toMatchObject({ status: 200 });
    expect(await tested(rest)).toMatchObject({ taken: true });
  }
  expect((await readdir(events)).toSorted()).toEqual(["a", "c.jsonl", "dangling", "link"]);
  expect(await readdir(join(events, "a"))).toEqual(["b.jsonl"]);
  for (const path of ["../outside/x", join(outside, "x"), `${events}/../outside/x`, `${events}x`]) {
    expect(await set(rest, { kind: "file", path }), path).toMatchObject({ status: 400 });
  }
  for (const path of ["link/x", "link/deep/x", "dangling"]) {
    expect(await set(rest, { kind: "file", path }), path).toMatchObject({ status: 200 });
    expect(await tested(rest), path).toMatchObject({ taken: false });
  }
  expect(await readdir(outside)).toEqual(["key"]);
  const got: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    got.push(request.headers);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await set(rest, { kind: "webhook", url, headers: { authorization: { file: "hook" } } });
  expect(await tested(rest)).toMatchObject({ taken: true });
  expect(got[0]).toMatchObject({ authorization: "Bearer of-a-file" });
  await set(rest, { kind: "webhook", url, headers: { authorization: { file: "link" } } });
  expect(await tested(rest)).toMatchObject({ taken: false, error: expect.stringContaining("leads out of its folder") });
  await expect(openControlPlane({ outbox: { allow: { env: ["CAIRN_TOKEN"] } } })).rejects.toThrow(
    "never for subscriptions",
  );
});

it("secrets go over TLS, or to this machine", async () => {
  const rest = await openRest();
  const { port, heard } = await listening();
  const host = "localhost.localdomain.invalid";
  const event = { id: "1", namespace: "default", type: "x", runId: "r", json: "{}" };
  const target = { kind: "nats" as const, subject: "x", token: { secret: "a" } };
  const send = async (url: string): Promise<unknown> => {
    const sink = new NatsSink({ ...target, url }, 1_000, async () => "the-token");
    onTestFinished(() => sink.close());
    return sink.send(event);
  };
  // An address of this machine that is not said to be one.
  expect(await send(`0.0.0.0:${port}`)).toMatchObject({ taken: false, error: expect.stringContaining("tls") });
  expect(heard()).not.toContain("the-token");
  await send(`127.0.0.1:${port}`);
  expect(heard()).toContain("the-token");
  await set(rest, { kind: "webhook", url: `http://${host}/`, headers: { "x-a": { secret: "a" } } });
  expect(await tested(rest)).toMatchObject({ taken: false, error: expect.stringContaining("over https alone") });
});

it("what is written into a target shows no secrets, and changes nothing of the connection", async () => {
  const rest = await openRest();
  const webhook = { kind: "webhook", url: "http://127.0.0.1:1/" };
  const refused = [
    { kind: "webhook", url: "http://ann:pw@127.0.0.1:1/" },
    { kind: "nats", url: "nats://ann:pw@127.0.0.1:1", subject: "x" },
    ...["host", "Transfer-Encoding", "content-length", "connection", "webhook-signature", "proxy-authorization"].map(
      (name) => ({ ...webhook, headers: { [name]: "x" } }),
    ),
  ];
  for (const target of refused) expect(await set(rest, target), JSON.stringify(target)).toMatchObject({ status: 400 });
  const headers = {
    Authorization: "Bearer hidden-1",
    "x-api-key": "hidden-2",
    "x-shop": "shown",
    "x-a": { secret: "a" },
  };
  const made = await set(rest, { ...webhook, headers });
  expect(made.body["target"]).toMatchObject({
    headers: { Authorization: "***", "x-api-key": "***", "x-shop": "shown", "x-a": { secret: "a" } },
  });
  expect(JSON.stringify([made.body, await tested(rest), (await rest.ask("GET", "/subscriptions")).body])).not.toContain(
    "hidden",
  );
});

it("secrets that were written into an address or a header are for administrators alone, and in no log", async () => {
  const tokens = [{ token: "boss" }, { token: "ops", scopes: ["operate" as const] }];
  const rest = await openRest({ tokens, token: "boss" });
  const target = {
    kind: "webhook",
    url: "http://127.0.0.1:1/hook?key=hidden-1&b=hidden%2D2&bare#hidden-3",
    headers: { "x-shop": "hidden-4", "x-a": { secret: "a" } },
  };
  const made = await set(rest, target);
  expect(made.body["target"]).toEqual(target);
  expect((await rest.ask("GET", "/subscriptions/s")).body["target"]).toEqual(target);
  const as = { authorization: "Bearer ops" };
  const seen = [
    await rest.ask("GET", "/subscriptions/s", undefined, as),
    await rest.ask("POST", "/subscriptions/s/pause", {}, as),
    await rest.ask("POST", "/subscriptions/s/resume", {}, as),
  ];
  for (const { body } of seen) {
    expect(body["target"]).toEqual({
      kind: "webhook",
      url: "http://127.0.0.1:1/hook?key=***&b=***&***",
      headers: { "x-shop": "***", "x-a": { secret: "a" } },
    });
  }
  const tested = await rest.ask("POST", "/subscriptions/s/test", {}, as);
  const others = [tested, await rest.ask("GET", "/subscriptions", undefined, as), await rest.ask("GET", "/audit")];
  expect(JSON.stringify(others.map(({ body }) => body))).not.toContain("hidden");
});
