import type { ServerResponse } from "node:http";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createClient, type LiveEvent } from "../../src/client/index.ts";
import { type FakePlane, fakePlane, problem, stream } from "./fake-plane.ts";

const RUN = "01a1e117-9295-798b-8091-0c70e9ba8d64";
const RETRY = { baseMs: 1, capMs: 2, forMs: 5_000 };

function textOf(number: number): string {
  const event = {
    cursor: `${number}-0`,
    runId: RUN,
    type: "a.b.v1",
    kind: "log",
    data: { number, text: "ü😀" },
    at: TIME,
  };
  return `id: ${number}-0\ndata: ${JSON.stringify(event)}\n\n`;
}

const TIME = "2026-11-15T21:30:00.000Z";

async function seen(plane: FakePlane): Promise<number[]> {
  const client = createClient({ url: plane.url, retry: RETRY });
  const numbers: number[] = [];
  for await (const { data } of client.run(RUN).events()) numbers.push((data as { number: number }).number);
  return numbers;
}

describe("following a run", () => {
  it("tells every event once and in order, wherever connections are cut", async () => {
    const cut = fc.oneof(fc.constantFrom("refuse", "drop", "clean", "empty"), fc.nat({ max: 400 }));
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 30 }), fc.array(cut, { maxLength: 6 }), async (count, cuts) => {
        const plane = await fakePlane((response, { headers }, connection) => {
          const how = cuts[connection - 1];
          if (how === "refuse") return problem(response, 503, "Unavailable");
          stream(response);
          const after = Number.parseInt(String(headers["last-event-id"] ?? "0"), 10);
          const numbers = Array.from({ length: count - after }, (_, index) => after + index + 1);
          const all = `: here\n\n${numbers.map(textOf).join("")}`;
          if (how === "empty") return response.end();
          if (how === "clean") return response.end(`: here\n\n${numbers.slice(0, 2).map(textOf).join("")}`);
          if (how === "drop")
            return response.end(
              `${numbers.slice(0, 1).map(textOf).join("")}event: dropped\ndata: {"reason":"slow"}\n\n`,
            );
          if (how === undefined) return response.end(`${all}event: end\ndata: {}\n\n`);
          // In the middle of an event, or of a letter.
          response.write(Buffer.from(all).subarray(0, how), () => response.destroy());
        });
        const expected = Array.from({ length: count }, (_, index) => index + 1);
        const drops = cuts.filter((how) => how === "drop").length;
        const numbers = await seen(plane).catch((error: unknown) => {
          // Three drops without an event in between are told.
          if (drops < 3) throw error;
          expect(error).toMatchObject({ code: "StreamDropped", detail: expect.stringContaining("slow") as string });
          return null;
        });
        if (numbers !== null) expect(numbers).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  it("resumes behind a cursor that was told without an event", async () => {
    const plane = await fakePlane((response, _, connection) => {
      stream(response);
      if (connection === 1) response.end("id: 41-0\n\n");
      else response.end(`${textOf(42)}event: end\ndata: {}\n\n`);
    });
    expect(await seen(plane)).toEqual([42]);
    expect(plane.asked.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "41-0"]);
    expect(plane.asked[0]).toMatchObject({ url: `/v1/runs/${RUN}/stream`, headers: { accept: "text/event-stream" } });
  });

  it("goes on after it was dropped as long as there is something in between, but not behind a cursor that nobody knows", async () => {
    const slow = await fakePlane((response, _, connection) => {
      stream(response);
      response.end(`${textOf(connection)}event: ${connection === 8 ? "end" : "dropped"}\ndata: {"reason":"slow"}\n\n`);
    });
    expect(await seen(slow)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const restored = await fakePlane((response) => {
      stream(response);
      response.end('event: dropped\ndata: {"reason":"unknown cursor"}\n\n');
    });
    await expect(seen(restored)).rejects.toMatchObject({ code: "StreamDropped" });
    expect(restored.asked).toHaveLength(1);
  });

  it("comes back from control planes that end, however many do, and tells once for each time that it was lost", async () => {
    const plane = await fakePlane((response, _, connection) => {
      if (connection % 2 === 0) return problem(response, 503, "Closed");
      stream(response);
      const last = connection === 11 ? `${textOf(1)}event: end` : "event: dropped";
      response.end(`: here\n\n${last}\ndata: {"reason":"closing"}\n\n`);
    });
    const lost: string[] = [];
    const options = {
      onLost: ({ code, detail }: { code: string; detail: string }) => void lost.push(`${code} ${detail}`),
    };
    const client = createClient({ url: plane.url, retry: RETRY });
    const told: object[] = [];
    for await (const event of client.follow<object>(`/runs/${RUN}/stream`, { namespace: "shop" }, options))
      told.push(event);
    // As it is on the wire.
    expect(told).toMatchObject([{ cursor: "1-0", at: TIME }]);
    expect(lost).toEqual(
      Array.from({ length: 5 }, () => "StreamDropped The control plane has ended the stream: closing"),
    );
    expect(plane.asked).toHaveLength(11);
    expect(plane.asked[0]).toMatchObject({ url: `/v1/runs/${RUN}/stream?namespace=shop` });
  });

  it("goes to another control plane first when one ends, with all that it follows, and tells once of each that was lost", async () => {
    const held: ServerResponse[] = [];
    const ending = await fakePlane((response) => {
      stream(response);
      response.write(": here\n\n");
      held.push(response);
    });
    const other = await fakePlane((response) => {
      stream(response);
      response.end(`${textOf(1)}event: end\ndata: {}\n\n`);
    });
    const client = createClient({ url: [ending.url, other.url], retry: RETRY });
    const lost: string[] = [];
    const onLost = ({ code }: { code: string }): void => void lost.push(code);
    const follow = async (): Promise<number> => {
      let told = 0;
      for await (const _ of client.follow(`/runs/${RUN}/stream`, {}, { onLost })) told += 1;
      return told;
    };
    const following = [follow(), follow()];
    while (held.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    for (const response of held) response.end('event: dropped\ndata: {"reason":"closing"}\n\n');
    expect(await Promise.all(following)).toEqual([1, 1]);
    expect([ending.asked.length, other.asked.length]).toEqual([2, 2]);
    expect(lost).toEqual(["StreamDropped", "StreamDropped"]);
  });

  it("has patience with a proxy that ends connections over which nothing comes", async () => {
    const plane = await fakePlane((response, _, connection) => {
      stream(response);
      if (connection < 12) setTimeout(() => response.end(), 10);
      else response.end(`${textOf(1)}event: end\ndata: {}\n\n`);
    });
    const client = createClient({ url: plane.url, retry: { baseMs: 1, capMs: 5, forMs: 60 } });
    const events = client.run(RUN).events();
    expect((await events.next()).value).toMatchObject({ cursor: "1-0" });
    expect(plane.asked).toHaveLength(12);
  });

  it("begins behind `after`, with a filter, and ends with the reason of its signal", async () => {
    const plane = await fakePlane((response) => {
      stream(response);
      response.write(textOf(1));
    });
    const controller = new AbortController();
    const client = createClient({ url: plane.url, retry: RETRY });
    const events = client.events({ after: "7-0", type: "billing.*", kind: "log", signal: controller.signal });
    const first = (await events.next()).value as LiveEvent;
    expect(first).toEqual({
      cursor: "1-0",
      runId: RUN,
      type: "a.b.v1",
      kind: "log",
      data: { number: 1, text: "ü😀" },
      at: new Date(TIME),
    });
    const reason = new Error("no more");
    setTimeout(() => controller.abort(reason), 5);
    await expect(events.next()).rejects.toBe(reason);
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(plane.asked[0]).toMatchObject({
      url: "/v1/events/stream?type=billing.*&kind=log",
      headers: { "last-event-id": "7-0" },
    });
    await expect(client.events({ signal: AbortSignal.abort(reason) }).next()).rejects.toBe(reason);
  });

  it("does not read ahead of whoever takes the events", async () => {
    let written = 0;
    const piece = textOf(1).repeat(100);
    const plane = await fakePlane((response) => {
      stream(response);
      const more = (): void => {
        while (written < 200_000_000 && response.write(piece)) written += piece.length;
      };
      response.on("drain", more);
      more();
    });
    const events = createClient({ url: plane.url }).run(RUN).events();
    for (let index = 0; index < 10; index++) await events.next();
    let before = -1;
    while (before !== written) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(written).toBeLessThan(50_000_000);
    await events.return();
  });

  it("ends with the refusal of a control plane, and with what is no stream", async () => {
    const refusing = await fakePlane((response) => problem(response, 401, "Unauthenticated"));
    await expect(seen(refusing)).rejects.toMatchObject({ code: "Unauthenticated", status: 401 });
    const other = await fakePlane(
      (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
    );
    await expect(seen(other)).rejects.toMatchObject({ code: "NoControlPlane" });
    const broken = await fakePlane((response) => void response.destroy());
    const impatient = createClient({ url: broken.url, retry: { baseMs: 1, capMs: 5, forMs: 300 } });
    await expect(impatient.run(RUN).events().next()).rejects.toMatchObject({ code: "NoAnswer", status: 0 });
    expect(broken.asked.length).toBeGreaterThan(1);
  });

  it("gives what actions stream, with values as they were", async () => {
    const chunk = { call: "1.0", attempt: 1, number: 1, value: { $date: 5 }, at: TIME };
    const plane = await fakePlane((response) => {
      stream(response);
      response.end(`id: abc\ndata: ${JSON.stringify(chunk)}\n\nevent: end\ndata: {}\n\n`);
    });
    const chunks = createClient({ url: plane.url }).run(RUN).stream();
    const [first, second] = [await chunks.next(), await chunks.next()];
    expect(second.done).toBe(true);
    expect([first.value]).toEqual([{ ...chunk, value: new Date(5), at: new Date(TIME), cursor: "abc" }]);
  });
});
