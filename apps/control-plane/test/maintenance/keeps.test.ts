import { keepText, parseKeep } from "@cairnjs/schemas";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Keeps, USUAL_KEEPS } from "../../src/maintenance/keeps.ts";
import { retentionSettings } from "../../src/maintenance/retention-settings.ts";
import { weekOf } from "../../src/maintenance/run-removal.ts";
import { firstRunId, timeOfRunId } from "../../src/ids.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

afterEach(() => vi.unstubAllEnvs());

describe("rules of retention", () => {
  const part = fc.constantFrom("a", "b", "ab");
  const type = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("."));
  const pattern = fc.oneof(
    type,
    type.map((text) => `${text}.*`),
    fc.constant("*"),
  );

  it("say of a type what the one says that says most of it", () => {
    const rule = fc.record({
      namespace: fc.constantFrom("one", "two"),
      what: fc.constantFrom("runs" as const, "events" as const),
      pattern,
      keepMs: fc.option(fc.nat(1_000)),
      changedAt: fc.constant(0),
    });
    const rules = fc.uniqueArray(rule, { selector: (each) => `${each.namespace} ${each.what} ${each.pattern}` });
    fc.assert(
      fc.property(rules, type, (all, asked) => {
        const own = all.filter(({ namespace, what }) => namespace === "one" && what === "runs");
        // From the type itself to what says nothing of it, shorter by one letter at a time.
        const wanted = [asked];
        for (let length = asked.length; length >= 0; length--) wanted.push(`${asked.slice(0, length)}*`);
        const found = wanted
          .map((text) => own.find((each) => each.pattern === text))
          .find((each) => each !== undefined);
        const expected = found === undefined ? USUAL_KEEPS.runs : found.keepMs;
        expect(new Keeps(all, USUAL_KEEPS).of("runs", "one", asked)).toBe(expected);
      }),
    );
  });

  it("are written as they are read", () => {
    fc.assert(
      fc.property(fc.nat(999_999), fc.constantFrom("s", "m", "h", "d", "w"), (count, unit) => {
        const keepMs = parseKeep(`${count}${unit}`);
        // A hundred years at most.
        if (keepMs !== undefined) expect(parseKeep(keepText(keepMs))).toBe(keepMs);
      }),
    );
    expect(["0s", "90m", "36h", "2w", "forever"].map((text) => keepText(parseKeep(text)!))).toEqual([
      "0s",
      "90m",
      "36h",
      "14d",
      "forever",
    ]);
    for (const text of ["", "30", "d", "-1d", "1.5d", "30  x", "1500ms", "1y", "9999999w", "Forever"]) {
      expect(parseKeep(text), text).toBeUndefined();
    }
  });
});

describe("settings of retention", () => {
  it("are options, then the environment, then what is usual", () => {
    expect(retentionSettings()).toEqual({
      keeps: { events: 30 * DAY_MS, outbox: 7 * DAY_MS, runs: null, deleted: 30 * DAY_MS, audit: 365 * DAY_MS },
      blobsMs: 7 * DAY_MS,
      archive: null,
      everyMs: 60 * 60 * 1_000,
      isActive: true,
    });
    vi.stubEnv("CAIRN_RETENTION_RUNS", "90d");
    vi.stubEnv("CAIRN_RETENTION_OUTBOX", "forever");
    vi.stubEnv("CAIRN_RETENTION", "off");
    vi.stubEnv("CAIRN_ARCHIVE", "/archive");
    const { keeps, archive, isActive } = retentionSettings({ runs: "1d", blobs: "forever" });
    expect(keeps).toMatchObject({ runs: DAY_MS, outbox: null });
    expect([archive, isActive]).toEqual(["/archive", false]);
  });

  it.each([
    [{ runs: "soon" }, 'retention.runs is a length of time such as 12h, 30d or 4w, or forever, not "soon"'],
    [{ runs: 7 }, "retention.runs is a length of time such as 12h, 30d or 4w, or forever, not 7"],
    [{ blobs: "2h" }, "retention.blobs is 1d at least"],
    [{ every: "1s" }, "retention.every is 1m at least, and not forever"],
    [{ every: "forever" }, "retention.every is 1m at least, and not forever"],
    [{ run: "no" }, "retention.run is true or false"],
    [{ archive: 1 }, "retention.archive is the path of a folder"],
    [
      { history: "1d" },
      'retention has no option "history". There are events, outbox, runs, deleted, audit, blobs, archive, every, run',
    ],
  ])("that cannot be right are refused by name: %j", (options, message) => {
    expect(() => retentionSettings(options as never)).toThrow(message);
  });

  it("of the environment too", () => {
    vi.stubEnv("CAIRN_RETENTION_EVENTS", "30 days");
    expect(() => retentionSettings()).toThrow("CAIRN_RETENTION_EVENTS is a length of time");
    vi.stubEnv("CAIRN_RETENTION_EVENTS", "");
    vi.stubEnv("CAIRN_RETENTION", "no");
    expect(() => retentionSettings()).toThrow('CAIRN_RETENTION is on or off, not "no"');
  });
});

it("weeks are those of the partitions, in UTC, and ids those of SQL", () => {
  expect(new Date(weekOf(Date.parse("2030-12-22T23:59:59.999Z"))).toISOString()).toBe("2030-12-16T00:00:00.000Z");
  expect(new Date(weekOf(Date.parse("2030-12-16T00:00:00Z"))).toISOString()).toBe("2030-12-16T00:00:00.000Z");
  const at = Date.parse("2030-12-16T00:00:00Z");
  expect(timeOfRunId(firstRunId(at))).toBe(at);
  expect(firstRunId(at)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7000-8000-000000000000$/);
});
