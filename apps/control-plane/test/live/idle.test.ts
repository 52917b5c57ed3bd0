import { connect, type Socket } from "node:net";
import { expect, it } from "vitest";
import { cleanUp } from "../support/cleanups.ts";
import { scrape } from "../support/scrape.ts";
import { watch } from "../support/test-live.ts";
import { until } from "../support/test-engine.ts";
import { openRest } from "../support/test-rest.ts";
import { approved, sums } from "../workflows/basics.ts";

const IDLE = 1_000;
/** For how long it is counted what is asked of the database. */
const LOOKED_MS = 5_000;

it("1,000 who watch and to whom nothing happens cost little, and disturb nobody", async () => {
  const rest = await openRest();
  const port = rest.plane.httpPort!;
  const waits = await rest.start(approved.name);
  const before = process.memoryUsage().rss;
  const paths = ["/v1/events/stream?type=nothing", `/v1/runs/${waits}/stream`];
  const sockets = Array.from({ length: IDLE }, (_, index): Socket => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.resume();
    socket.write(`GET ${paths[index % 2]} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    return socket;
  });
  cleanUp(async () => {
    for (const socket of sockets) socket.destroy();
  });
  await until(async () => {
    const seen = await scrape(port);
    const [all, single] = ["events", "run"].map((kind) => seen.get(`cairn_live_clients{kind="${kind}"}`) ?? 0);
    return all! + single! >= IDLE;
  });
  const watcher = await watch(`http://127.0.0.1:${port}/v1/events/stream?type=${sums.name}`);
  const settled = await statements();
  await new Promise((resolve) => setTimeout(resolve, LOOKED_MS));
  const asked = (await statements()) - settled;
  const begun = performance.now();
  const id = await rest.start(sums.name, { n: 1 });
  expect((await rest.result(id)).status).toBe(200);
  await watcher.until(({ data }) => data["kind"] === "succeeded");
  const tookMs = performance.now() - begun;
  const grownMb = (process.memoryUsage().rss - before) / 1e6;
  console.log(`${IDLE} idle: ${grownMb.toFixed(0)} MB, ${tookMs.toFixed(0)} ms for a run, ${asked} transactions`);
  // Both ends of each connection are in this process.
  expect(grownMb).toBeLessThan(200);
  expect(tookMs).toBeLessThan(3_000);
  // One look for all of them, not one for each.
  expect(asked).toBeLessThan(IDLE);

  async function statements(): Promise<number> {
    const [row] = await rest.bed.query<{ count: string }>(
      "SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()",
    );
    return Number(row!.count);
  }
});
