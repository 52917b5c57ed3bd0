import { readFileSync, writeFileSync } from "node:fs";
import { ERROR_CODES } from "@cairnjs/schemas";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/http/openapi/operations.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { testBed } from "../support/test-engine.ts";
import { openRest } from "../support/test-rest.ts";
import { type DocumentedOperation, documentOf, operationsOf } from "../support/open-api.ts";
import { counting } from "../workflows/streaming.ts";
import { OPERATION_IDS } from "./operation-ids.ts";

const http = { listen: { grpc: "127.0.0.1:0", http: "127.0.0.1:0" } };
let document: Awaited<ReturnType<typeof documentOf>>;
let operations: readonly DocumentedOperation[];

describe("what a control plane says of its routes", () => {
  it("is valid OpenAPI 3.1, by the schema of that", async () => {
    const plane = await openPlane(await testBed(), http);
    document = await documentOf(plane.httpPort!);
    operations = operationsOf(document);
    const { valid, errors } = await new Validator().validate({ ...document });
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
    expect(document.openapi).toBe("3.1.0");
  });

  it("has ids that are promised to those who generate clients", () => {
    const ids = operations.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted()).toEqual([...OPERATION_IDS].toSorted());
  });

  it("says nothing of routes that are not there", () => {
    const routes = operations.map(({ method, route }) => `${method} ${route}`);
    expect(routes.toSorted()).toEqual(Object.keys(OPERATIONS).toSorted());
  });

  it("has schemas with names, examples that fit them, and codes that are known", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: "document", ...(document as object) });
    for (const name of Object.keys(document.components.schemas)) expect(name).toMatch(/^[A-Z]/);
    let examples = 0;
    for (const { id, operation } of operations) {
      const body = operation.requestBody?.content["application/json"];
      if (body?.example === undefined) continue;
      examples += 1;
      const $ref = (body.schema as { $ref?: string }).$ref;
      expect($ref, id).toMatch(/^#\/components\/schemas\/[A-Z]/);
      const fits = ajv.validate({ $ref: `document${$ref}` }, body.example);
      expect(fits, `${id}: ${ajv.errorsText()}`).toBe(true);
    }
    expect(examples).toBeGreaterThan(10);
    const codes = new Set<string>(ERROR_CODES);
    for (const { problems = [] } of Object.values(OPERATIONS))
      for (const code of problems) expect(codes).toContain(code);
  });
});

describe("what it says of queries", () => {
  it("can hold: what is an array is no text at once, and takes several with commas between", () => {
    const known: string[] = [];
    for (const { id, operation } of operations)
      for (const { name, schema, style, explode } of operation.parameters) {
        const { type, anyOf = [] } = schema as { type?: string; anyOf?: { type?: string }[] };
        const other = anyOf.filter((branch) => type !== undefined && branch.type !== type);
        expect(other, `${id} ${name}`).toEqual([]);
        if (type !== "array") continue;
        known.push(name);
        expect([style, explode], `${id} ${name}`).toEqual(["form", false]);
      }
    expect(new Set(known)).toEqual(new Set(["kind", "phase", "status", "type"]));
  });
});

describe("what it says of streams", () => {
  it("names what their events have as data, and they have it", async () => {
    const rest = await openRest();
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: "document", ...(await documentOf(rest.plane.httpPort!)) });
    const told = async (path: string): Promise<string[]> => {
      const route = path.replace(/[\da-f-]{36}/, "{id}").split("?")[0]!;
      const { id, responses } = operations.find((each) => each.path === route)!;
      const { "x-cairn-events": events } = responses.get("200")!.content!["text/event-stream"]!;
      const text = await (await fetch(`http://127.0.0.1:${rest.plane.httpPort}${path}`)).text();
      return [...text.matchAll(/(?:event: (\w+)\n)?data: (.*)\n/g)].map(([, name = "message", data]) => {
        const schema = JSON.parse(JSON.stringify(events![name]).replaceAll('"#', '"document#')) as object;
        expect(ajv.validate(schema, JSON.parse(data!)), `${id} ${name}: ${ajv.errorsText()} ${data}`).toBe(true);
        return name === "message" ? `${name} ${String((JSON.parse(data!) as { kind?: string }).kind)}` : name;
      });
    };
    const run = await rest.start(counting.name, { to: 2, text: "" });
    await rest.result(run);
    expect(await told(`/v1/runs/${run}/stream`)).toEqual(
      expect.arrayContaining(["message step", "message started", "end"]),
    );
    expect(await told(`/v1/runs/${run}/chunks`)).toEqual(expect.arrayContaining(["message undefined", "end"]));
    expect(await told("/v1/events/stream?after=999999999999")).toEqual(["dropped"]);
    const { LiveEvent, LiveStep } = document.components.schemas;
    expect([JSON.stringify(LiveEvent), LiveStep]).toEqual([expect.stringContaining("/LiveStep"), expect.any(Object)]);
  });
});

/** Between these the page has a row for each route. */
const [BEGIN, END] = ["<!-- routes: made by a test -->", "<!-- end of routes -->"];

describe("docs/rest.md", () => {
  const path = new URL("../../../../docs/rest.md", import.meta.url);

  it("has all routes, as the document has them (CAIRN_UPDATE_DOCS=1 writes them)", () => {
    const page = readFileSync(path, "utf8");
    const [before, rest] = page.split(BEGIN);
    const [, after] = (rest ?? "").split(END);
    const made = `${before}${BEGIN}\n\n${table()}\n\n${END}${after}`;
    if (process.env["CAIRN_UPDATE_DOCS"] === "1") writeFileSync(path, made);
    expect(readFileSync(path, "utf8")).toBe(made);
  });

  function table(): string {
    const rows = operations.map(({ id, method, path: where, operation }) => {
      const { summary, responses, "x-cairn-scope": scope } = operation;
      const statuses = Object.keys(responses).filter((status) => status !== "default");
      const successes = statuses.filter((status) => status.startsWith("2"));
      const others = statuses.filter((status) => !COMMON.has(status) && !status.startsWith("2"));
      const answers = [...successes, ...others].join(", ");
      return `| \`${method} ${where}\` | ${summary} | \`${id}\` | ${scope} | ${answers} |`;
    });
    return ["| request | | id | scope | answers |", "|---|---|---|---|---|", ...rows].join("\n");
  }
});

/** What the page says of all, once. */
const COMMON = new Set(["400", "401", "403", "413", "415", "429", "503"]);
