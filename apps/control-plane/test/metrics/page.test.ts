import { readFileSync, writeFileSync } from "node:fs";
import { parser } from "@prometheus-io/lezer-promql";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { DEFINITIONS, OBSERVED } from "../../src/metrics/definitions.ts";
import { openPlane } from "../support/test-control-plane.ts";
import { testBed } from "../support/test-engine.ts";

const docs = new URL("../../../../docs/", import.meta.url);
const page = new URL("observing.md", docs);

interface Described {
  readonly name: string;
  readonly kind: string;
  readonly labels: readonly string[];
  readonly help: string;
}

const DESCRIBED: readonly Described[] = [
  ...DEFINITIONS,
  ...Object.values(OBSERVED).map((each) => ({ ...each, kind: "histogram" })),
];

function tableOf(metrics: readonly Described[]): string {
  const rows = metrics.map(({ name, kind, labels, help }) => {
    const shown = labels.map((label) => `\`${label}\``).join(", ");
    return `| \`${name}\` | ${kind} | ${shown} | ${help} |`;
  });
  return ["| metric | kind | labels | |", "|---|---|---|---|", ...rows].join("\n");
}

const TABLE = /(<!-- metrics -->\n)[^]*?(\n<!-- \/metrics -->)/;

/** Of a query: the metrics that it reads, and the labels that it tells apart. Throws if it is none. */
function readOf(query: string): { readonly metrics: string[]; readonly labels: string[] } {
  // What Grafana puts in their place.
  const text = query.replaceAll("$__rate_interval", "5m");
  const metrics: string[] = [];
  const labels: string[] = [];
  parser.parse(text).iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) throw new Error(`No PromQL at ${from}: ${text}`);
      if (type.name === "Identifier") metrics.push(text.slice(from, to));
      if (type.name === "LabelName") labels.push(text.slice(from, to));
    },
  });
  return { metrics, labels };
}

interface Board {
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly datasource?: { readonly uid: string };
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels: { readonly severity: string };
      readonly annotations: { readonly summary: string; readonly description: string };
    }[];
  }[];
}

const board = JSON.parse(readFileSync(new URL("grafana/cairn.json", docs), "utf8")) as Board;
const rules = parse(readFileSync(new URL("grafana/alerts.yml", docs), "utf8")) as Rules;
const alerts = rules.groups.flatMap((group) => group.rules);
const queries = [
  ...board.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...alerts.map(({ expr }) => expr),
];

describe("what is written of metrics", () => {
  it("is what a control plane says: each has a line in docs/observing.md, with its help", async () => {
    const plane = await openPlane(await testBed(), { listen: { grpc: "127.0.0.1:0", http: "127.0.0.1:0" } });
    const text = await (await fetch(`http://127.0.0.1:${plane.httpPort}/metrics`)).text();
    const kinds = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => [name!, kind!]));
    const said = [...text.matchAll(/^# HELP (cairn_\S+) (.*)$/gm)].map(([, name, help]) => {
      return { name: name!, help: help!, kind: kinds.get(name!)! };
    });
    expect(said).toEqual(DESCRIBED.map(({ name, help, kind }) => ({ name, help, kind })));
    for (const { name, kind } of DESCRIBED) expect(name.endsWith("_total"), name).toBe(kind === "counter");
    const before = readFileSync(page, "utf8");
    expect(before).toMatch(TABLE);
    const after = before.replace(TABLE, (_, begin: string, end: string) => `${begin}\n${tableOf(DESCRIBED)}\n${end}`);
    if (process.env["CAIRN_UPDATE_DOCS"] === "1") writeFileSync(page, after);
    else expect(before, "CAIRN_UPDATE_DOCS=1 writes the table").toBe(after);
    // What Node.js says of the process is in the board too.
    const known = new Set(
      [...kinds.keys()].flatMap((name) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]),
    );
    const labels = new Set(["le", "job", "instance", ...DESCRIBED.flatMap((each) => each.labels)]);
    for (const query of queries) {
      const read = readOf(query);
      expect(read.metrics.length, query).toBeGreaterThan(0);
      expect(
        read.metrics.filter((name) => !known.has(name)),
        query,
      ).toEqual([]);
      expect(
        read.labels.filter((name) => !labels.has(name)),
        query,
      ).toEqual([]);
    }
  });

  it("shows all of it: what is measured is in the board, or in an alert", () => {
    const read = new Set(
      queries.flatMap((query) => readOf(query).metrics.map((name) => name.replace(/_(bucket|sum|count)$/, ""))),
    );
    expect(DESCRIBED.map(({ name }) => name).filter((name) => !read.has(name))).toEqual([]);
  });

  it("is a board with a data source that can be chosen, and panels that can be told apart", () => {
    expect(board.schemaVersion).toBe(39);
    expect(board.templating.list.map(({ name, type }) => [name, type])).toContainEqual(["datasource", "datasource"]);
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
    const shown = board.panels.filter(({ targets }) => targets !== undefined);
    for (const { title, datasource } of shown) expect(datasource?.uid, title).toBe("${datasource}");
  });

  it("is alerts that say what is wrong and what to do", () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    for (const { alert, labels, annotations } of alerts) {
      expect(labels.severity, alert).toMatch(/^(critical|warning|info)$/);
      expect(annotations.summary.length * annotations.description.length, alert).toBeGreaterThan(0);
    }
  });
});
