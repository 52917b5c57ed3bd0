import { expect, it } from "vitest";
import { operated } from "./plane.ts";

const plane = operated();

it("cairn audit and cairn runs timeline: who did what; cairn runs token: an address that sends a signal", async () => {
  const id = await plane.start("shop.approving.v1");
  const made = await plane.cairn("runs", "token", id, "approval", "--value", '{"by":"ann"}', "--expires", "2h");
  expect(made).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1\/tokens\/\S+\n$/),
  });
  expect((await fetch(made.stdout.trim(), { method: "POST" })).status).toBe(202);
  await plane.untilStatus(id, "succeeded");
  const [list, json, none, summary, counted, timeline, story] = await Promise.all([
    plane.cairn("audit", "list", "--run", id),
    plane.json<{ entries: { action: string; who: string }[] }>("audit", "list", "--action", "run.*", "--since", "1h"),
    plane.cairn("audit", "list", "--who", "nobody"),
    plane.cairn("audit", "summary", "--window", "1h"),
    plane.json<{ window: string; refused: number }>("audit", "summary"),
    plane.cairn("runs", "timeline", id),
    plane.json<{ entries: { kind: string }[] }>("runs", "timeline", id),
  ]);
  expect(list.stdout).toMatch(/^WHEN +WHO +ACTION +OF +ANSWER +FROM +WITH\n/);
  expect(list.stdout).toMatch(/a wait token +run\.signal /);
  expect(list.stdout).toMatch(/anyone +run\.token .*\{"expiresInMs":7200000,"signal":"approval"\}/);
  expect(json.entries.map(({ action, who }) => `${action} ${who}`)).toEqual(
    expect.arrayContaining(["run.start anyone", "run.token anyone", "run.signal a wait token"]),
  );
  expect(none).toMatchObject({ code: 0, stdout: "", text: expect.stringContaining("nothing was done") });
  expect(summary.stdout).toMatch(/^\d+ in the last 1h, of which 0 were refused\n\nACTION +DONE +REFUSED\n/);
  expect(counted).toMatchObject({ window: "24h", refused: 0 });
  expect(timeline.stdout).toMatch(/ audit +run\.token by anyone\n/);
  expect(new Set(story.entries.map(({ kind }) => kind))).toEqual(new Set(["event", "input", "audit"]));
  const [window, length, value, gone] = await Promise.all([
    plane.cairn("audit", "summary", "--window", "2h"),
    plane.cairn("runs", "token", id, "approval", "--expires", "soon"),
    plane.cairn("runs", "token", id, "approval", "--value", "{"),
    plane.cairn("runs", "token", id, "approval"),
  ]);
  expect(window).toMatchObject({ code: 2, text: expect.stringContaining("1h, 6h, 24h, 7d") });
  expect(length).toMatchObject({ code: 2, text: expect.stringContaining("--expires is a length of time") });
  expect(value).toMatchObject({ code: 2, text: expect.stringContaining("--value is not JSON") });
  expect(gone).toMatchObject({ code: 1, text: expect.stringContaining("RunEnded") });
});
