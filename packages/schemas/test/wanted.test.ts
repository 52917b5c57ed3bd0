import fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import * as rest from "../src/rest/index.ts";
import {
  BulkRunsBody,
  ListRuns,
  SocketRequest,
  StartRunBody,
  UpsertSubscriptionBody,
  whatIsWanted,
} from "../src/rest/index.ts";

/** Words of Zod, which say what it has seen and not what is wanted. */
const ZODS_OWN = /\binvalid\b|expected|received|too (small|big)|unrecognized|discriminator/i;

function issuesOf(schema: z.ZodType, given: unknown): string[] {
  const { error } = schema.safeParse(given, { error: whatIsWanted });
  return error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];
}

const anything = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, "", "x", "tomorrow", "a,b", -1, 0, 1.5, 1e300, Number.NaN, true, [], {}),
  fc.constantFrom<unknown>([1], ["x"], [[]], { x: 1 }, { kind: "webhook" }, { op: "subscribe" }, "x".repeat(20_000)),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Something of about the form that a schema wants, and wrong somewhere in it. */
function nearly(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const parts = formsIn(schema);
  return parts.length === 0
    ? anything
    : fc.oneof({ weight: 1, arbitrary: anything }, ...parts.map((arbitrary) => ({ weight: 3, arbitrary })));
}

function formsIn(schema: z.core.$ZodType): fc.Arbitrary<unknown>[] {
  const { def } = schema as unknown as { readonly def: z.core.$ZodTypes["_zod"]["def"] };
  switch (def.type) {
    case "object":
      return [
        fc.record(Object.fromEntries(Object.entries(def.shape).map(([key, part]) => [key, nearly(part)])), {
          requiredKeys: [],
        }),
      ];
    case "array":
      return [fc.array(nearly(def.element), { maxLength: 3 })];
    case "record":
      return [fc.dictionary(fc.string(), nearly(def.valueType), { maxKeys: 3 })];
    case "union":
      return def.options.map(nearly);
    case "enum":
      return [fc.constantFrom<unknown>(...Object.values(def.entries))];
    case "literal":
      return [fc.constantFrom<unknown>(...def.values)];
    case "optional":
    case "nullable":
    case "default":
    case "readonly":
      return [nearly(def.innerType)];
    case "pipe":
      return [nearly(def.in)];
    default:
      return [];
  }
}

const schemas = Object.entries(rest).filter((each): each is [string, z.ZodType] => each[1] instanceof z.ZodType);

it.each(schemas)("what is wrong with %s is said in our words, and once", (_, schema) => {
  fc.assert(
    fc.property(nearly(schema), (given) => {
      const issues = issuesOf(schema, given);
      for (const issue of issues)
        expect(issue.slice(issue.indexOf(": ")).replaceAll(/"[^"]*"/g, "")).not.toMatch(ZODS_OWN);
      expect(new Set(issues).size).toBe(issues.length);
    }),
    { numRuns: 200 },
  );
});

it("says what is wanted, also where one of several things is", () => {
  const bulk = { action: "cancel", filter: { tag: "x" } };
  const cases: [z.ZodType, unknown, string][] = [
    [BulkRunsBody, { ...bulk, filter: { type: [] } }, "filter.type: must have at least 1 item"],
    [
      BulkRunsBody,
      { ...bulk, filter: { type: 5 } },
      "filter.type: must be a text of 1 to 500 characters, or must be an array",
    ],
    [BulkRunsBody, { ...bulk, filter: { status: [] } }, "filter.status: must have at least 1 item"],
    [BulkRunsBody, { ...bulk, filter: { status: ["gone"] } }, "filter.status.0: must be one of pending, leased, "],
    [BulkRunsBody, { ...bulk, dryRun: 5 }, "dryRun: must be true or false"],
    [BulkRunsBody, { ...bulk, what: 5 }, ': does not take "what"'],
    [BulkRunsBody, { action: "cancel" }, "filter: is missing"],
    [BulkRunsBody, [], ": must be an object"],
    [ListRuns, { type: "a*b" }, "type.0: must have a star at its end alone"],
    [ListRuns, { type: "a,,b" }, "type.1: must be a text of 1 to 500 characters"],
    [StartRunBody, { type: "a", runAt: "tomorrow" }, "runAt: must be a time such as 2026-11-15T21:30:00Z"],
    [UpsertSubscriptionBody, { types: ["*"], target: { kind: "x" } }, "target.kind: must be one of webhook, "],
    [SocketRequest, { op: "x" }, "op: must be one of "],
    [SocketRequest, 5, ": must be an object"],
  ];
  for (const [schema, given, says] of cases) {
    const issues = issuesOf(schema, given);
    expect(issues, JSON.stringify(given)).toHaveLength(1);
    expect(issues[0]).toContain(says);
  }
});

it("takes several types with commas between", () => {
  const types = (type: unknown): unknown => (ListRuns.parse({ type }) as { type: unknown }).type;
  expect(types("a,b.*")).toEqual(["a", "b.*"]);
  expect(types(["a,b", "c"])).toEqual(["a", "b", "c"]);
  // In a body there are arrays for that.
  expect(BulkRunsBody.parse({ action: "cancel", filter: { type: "a,b" } }).filter.type).toEqual(["a,b"]);
});
