import { expect, it } from "vitest";
import { scrape } from "../support/scrape.ts";
import { until } from "../support/test-engine.ts";
import { someRunIds, writeEvents } from "../support/test-outbox.ts";
import { openRest } from "../support/test-rest.ts";
import { testSubscriber } from "../support/test-subscriber.ts";
import { telling } from "../workflows/traced.ts";

it("what is measured of schedules is what their rows say", async () => {
  const rest = await openRest();
  const path = `/schedules/${encodeURIComponent(telling.name)}/often`;
  await rest.ask("PUT", path, { everyMs: 60_000, catchUp: "none" });
  await rest.bed.advance(300_000);
  const [row] = await until(async () => {
    const rows = await rest.bed.query<{ fired: number; missed: number }>(
      "SELECT fired::int, missed::int, skipped::int FROM cairn.schedules WHERE next_run_at > cairn.now() AND fired + missed > 0",
    );
    return rows.length > 0 && rows;
  });
  const seen = await scrape(rest.plane.httpPort);
  expect(row!.missed).toBeGreaterThan(0);
  const of = (outcome: string) => seen.get(`cairn_schedule_firings_total{outcome="${outcome}"}`);
  expect({ fired: of("fired"), missed: of("missed"), skipped: of("skipped") }).toEqual(row);
  expect(of("failed")).toBe(0);
  expect(seen.get("cairn_schedules_late_seconds")).toBe(0);
});

it("what is measured of events is what subscribers were sent, and what they did not take", async () => {
  const rest = await openRest();
  const subscriber = await testSubscriber();
  const target = { kind: "webhook", url: subscriber.url };
  await rest.ask("PUT", "/subscriptions/shop", {
    types: ["order.*"],
    target,
    maxAttempts: 2,
    backoffMs: 10,
    backoffMaxMs: 20,
  });
  subscriber.answer = ({ data }) => (data.number === 3 ? 400 : 204);
  const ids = someRunIds(5);
  for (const [index, id] of ids.entries()) await writeEvents(rest.bed, id, [index]);
  const seen = await until(async () => {
    const values = await scrape(rest.plane.httpPort);
    return values.get("cairn_outbox_dead_letters") === 1 && values;
  });
  const taken = subscriber.taken().length;
  expect(seen.get('cairn_outbox_deliveries_total{outcome="taken"}')).toBe(taken);
  expect(seen.get('cairn_outbox_deliveries_total{outcome="refused"}')).toBe(subscriber.received.length - taken);
  expect(seen.get("cairn_outbox_given_up_total")).toBe(1);
  expect(seen.get("cairn_outbox_backlog")).toBe(0);
  expect(seen.get("cairn_outbox_lag_seconds")).toBe(0);
});
