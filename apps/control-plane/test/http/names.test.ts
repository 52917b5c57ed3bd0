import fc from "fast-check";
import { expect, it } from "vitest";
import { createKeyDirectly } from "../../src/operator.ts";
import { openRest } from "../support/test-rest.ts";
import { sums } from "../workflows/basics.ts";

/** What moves a cursor, breaks a line, turns letters round, or cannot be seen. */
const bad = fc.oneof(
  fc.integer({ min: 1, max: 0x1f }).map((code) => String.fromCharCode(code)),
  fc.integer({ min: 0x7f, max: 0x9f }).map((code) => String.fromCharCode(code)),
  fc.constantFrom(
    ..."\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff",
  ),
  fc.constant("\u{e0041}"),
);
const letters = fc.array(fc.constantFrom(..."abzÄßя中 -_'\"<>&%"), { maxLength: 5 }).map((each) => each.join(""));

it("names that people choose have no control characters, wherever in them", async () => {
  const rest = await openRest({ secrets: { masterKey: Buffer.alloc(32, 1).toString("base64") } });
  const target = { kind: "port", port: "none" };
  const answers = async (name: string): Promise<number[]> => {
    const path = encodeURIComponent(name);
    const asked = [
      rest.ask("POST", "/keys", { name, scopes: ["read"] }),
      rest.ask("PUT", `/schedules/${sums.name}/${path}`, { cron: "@daily", payload: { n: 1 } }),
      rest.ask("PUT", `/subscriptions/${path}`, { types: ["none.*"], target }),
      rest.ask("PUT", `/secrets/${path}`, { value: "1" }),
    ];
    return (await Promise.all(asked)).map(({ status }) => status);
  };
  await fc.assert(
    fc.asyncProperty(letters, bad, letters, async (before, control, after) => {
      expect(await answers(`x${before}${control}${after}`)).toEqual([400, 400, 400, 400]);
    }),
    { numRuns: 60 },
  );
  await fc.assert(
    fc.asyncProperty(letters, async (name) => {
      // Those of secrets have fewer letters.
      expect((await answers(`x${name}`)).slice(0, 3)).toEqual([201, 200, 200]);
    }),
    { numRuns: 20 },
  );
  const wanted = { namespace: null, name: "a\u202eb", scopes: ["read" as const], expiresAt: null };
  await expect(createKeyDirectly({ databaseUrl: rest.bed.url }, wanted)).rejects.toMatchObject({
    code: "InvalidOption",
  });
  expect(rest.warnings).toEqual([]);
});

it("those from before can be looked at and removed", async () => {
  const rest = await openRest();
  const schedule = { cron: "@daily", payload: { n: 1 } };
  await rest.ask("PUT", `/schedules/${sums.name}/old`, schedule);
  await rest.bed.query(String.raw`UPDATE cairn.schedules SET name = E'o\nd'`);
  const path = `/schedules/${sums.name}/${encodeURIComponent("o\nd")}`;
  expect((await rest.ask("GET", path)).body).toMatchObject({ name: "o\nd" });
  expect((await rest.ask("DELETE", path)).status).toBe(200);
});
