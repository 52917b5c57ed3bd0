import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeNative } from "@cairnjs/ir";
import { beforeAll, describe, expect, it } from "vitest";
import { build, cairn, cairnIn, fixtures, main, type Ran } from "./command.ts";

const PROJECT = "project/src/flows/main.ts";
const GOOD = ["hello.ts", "steps.ts", "fails.ts", "race.ts", PROJECT];
const BAD = ["rejected.ts", "several.ts", "nothing.ts", "missing.ts", "throws-on-load.ts"];

const DAY_0 = "Date(1970-01-01T00:00:00.000Z)";

interface Line {
  readonly file: string;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly steps: readonly { readonly action: string }[];
}

// A process takes half a second to start; each of these tries many files.
let json: Ran;
let text: Ran;

beforeAll(() => {
  build();
  json = cairn("try", ...GOOD, ...BAD, "prints.ts", "never.ts", "passes-on.ts", "--json");
  text = cairn("try", ...GOOD, ...BAD, "passes-on.ts", "waits.ts");
});

function lineOf(file: string): Line {
  return (json.lines() as Line[]).find((line) => line.file === file)!;
}

function seeded(seed: string): unknown {
  return (cairn("try", "race.ts", "--json", "--schedule", seed).lines() as Line[])[0]?.result;
}

describe("cairn try --json", () => {
  it("prints one line a file, whatever becomes of it, and fails if one does", () => {
    const files = [...GOOD, ...BAD, "prints.ts", "never.ts", "passes-on.ts"];
    expect((json.lines() as Line[]).map(({ file }) => file)).toEqual(files);
    expect(json.code).toBe(1);
  });

  it("has the result and the steps in the tagged encoding", () => {
    expect(lineOf("hello.ts")).toEqual({
      file: "hello.ts",
      result: { text: "hello ada", when: { $date: 0 }, big: { $bigint: "10" }, nothing: { $undefined: true } },
      steps: [
        {
          node: "hello/greet",
          action: "greet",
          args: ["ada", { $date: 0 }],
          result: { text: "hello ada", when: { $date: 0 } },
        },
        { node: "hello/sleep", action: "cairn.sleep", args: [{ $date: 1767398400000 }], result: { $undefined: true } },
      ],
    });
    const value = decodeNative(JSON.stringify(lineOf("hello.ts").result));
    expect(value).toEqual({ text: "hello ada", when: new Date(0), big: 10n, nothing: undefined });
  });

  it("gives an action's error to the body and to other actions with its class", () => {
    const declined = { $error: { names: ["Declined", "Error"], message: "no credit for 5", props: { code: 51 } } };
    expect(lineOf("fails.ts")).toEqual({
      file: "fails.ts",
      error: { $error: { names: ["Error"], message: "not paid", cause: declined } },
      steps: [
        { node: "fails/try/charge", action: "charge", args: [5], error: declined },
        { node: "fails/catch/explain", action: "explain", args: [declined], result: 51 },
        { node: "fails/compensate/release", action: "release", args: ["room"], result: "room" },
      ],
    });
  });

  it("has the diagnostics of a file that does not compile", () => {
    expect(lineOf("rejected.ts")).toEqual({
      file: "rejected.ts",
      diagnostics: [
        expect.objectContaining({ code: "CAIRN2010", file: "rejected.ts", line: 4, column: 21, severity: "error" }),
        expect.objectContaining({ code: "CAIRN2006", file: "rejected.ts", line: 5, column: 18 }),
      ],
    });
  });

  it("has an error for files that cannot be run", () => {
    const message = "throws-on-load.ts cannot be loaded: RangeError: not today";
    expect(lineOf("throws-on-load.ts")).toEqual({
      file: "throws-on-load.ts",
      error: { $error: expect.objectContaining({ names: ["CannotRun", "Error"], message }) },
      steps: [],
    });
    expect(lineOf("never.ts")).toEqual({
      file: "never.ts",
      error: {
        $error: { names: ["Stuck", "Error"], message: 'The action "hang" waits for something that does not come' },
      },
      steps: [{ node: "never/hang", action: "hang", args: [] }],
    });
  });

  it("keeps what users' code prints out of its output", () => {
    expect(json.stderr).toBe("printed while loading\nprinted by an action\nand written\n");
  });

  it("runs lifted steps on frozen captures", () => {
    const { result, steps } = lineOf("steps.ts");
    expect(result).toEqual({
      text: "n=3! at 1970-01-02T00:00:00.000Z",
      twice: 6,
      failures: ["TypeError", "TypeError"],
      at: { $date: 86_400_000 },
    });
    const names = ["steps/count", "steps/text", "steps/write date", "steps/write list", "steps/twice"];
    expect(steps.map(({ action }) => action)).toEqual(names);
  });

  it("says the same when restored everywhere", () => {
    const restored = cairn("try", ...GOOD, "--json", "--restore-everywhere");
    expect(restored.lines()).toEqual(json.lines().slice(0, GOOD.length));
  });

  it("ends steps in an order that the seed decides", () => {
    expect(lineOf("race.ts").result).toEqual([1, 2, 3, 4, 5, 6]);
    const once = seeded("3");
    expect(seeded("3")).toEqual(once);
    expect(seeded("4")).not.toEqual(once);
  });
});

describe("cairn try", () => {
  it("shows each step as it happens, and the result", () => {
    expect(text.stdout.replaceAll(/version [0-9a-f]{12}/g, "version V")).toContain(
      [
        "hello  hello.ts, version V",
        `  ✓ hello/greet  greet("ada",${DAY_0}) → {"text":"hello ada","when":${DAY_0}}`,
        "  … 2 days later",
        "  ✓ hello/sleep  cairn.sleep(until 2026-01-03T00:00:00.000Z)",
        '  result {"text":"hello ada","when":{"$date":0},"big":{"$bigint":"10"},"nothing":{"$undefined":true}}',
        "",
      ].join("\n"),
    );
    expect(text.code).toBe(1);
  });

  it("shows failures with the place they came from", () => {
    expect(text.stdout).toContain("  ✗ fails/try/charge  charge(5) → Declined: no credit for 5\n");
    expect(text.stdout).toContain('  ✓ fails/compensate/release  undo release("room") → "room"\n');
    expect(text.stdout).toContain("  error Error: not paid\n    at fails (fails.ts:23:75)\n");
    expect(text.stdout).toContain('  error Stuck: The run can only wait for the signal "approved" (waits/approved)\n');
  });

  it("shows diagnostics with a code frame", () => {
    expect(text.stdout).toContain("error CAIRN2006");
    expect(text.stdout).toContain('> 5 |   return [order, fetch("https://example.com")];\n');
  });

  it("follows paths, folders and extensions as bundlers do, into children and their steps", () => {
    expect(text.stdout).toContain('    ✓ child/negate  project.child/negate({"sum":12}) → -12\n');
    expect(text.stdout).toContain("  result [12,-12]\n");
  });

  it("finds a workflow that a module only passes on", () => {
    expect(text.stdout).toMatch(/several\.second {2}passes-on\.ts, version [0-9a-f]{12}\n {2}result 2\n/);
  });

  it("runs no code of files without workflows, and tells folders and other files apart", () => {
    const ran = cairn("try", "side-effect.ts", "notes.txt", ".");
    expect(ran.code).toBe(1);
    expect(ran.stdout).toBe("");
    expect(ran.stderr.trim().split("\n")).toEqual([
      "cairn: side-effect.ts declares no workflow",
      "cairn: notes.txt is no module of TypeScript or JavaScript",
      "cairn: . is a folder; name the files in it",
    ]);
  });

  it("answers when an action ends the process, or the output cannot be written", () => {
    const [line] = cairn("try", "exits.ts", "--json").lines() as [{ error: unknown }];
    expect(JSON.stringify(line.error)).toContain("process.exit(0) was called");
    const full = spawnSync("sh", ["-c", `"${process.execPath}" "${main}" try hello.ts > /dev/full`], {
      cwd: fixtures,
      encoding: "utf8",
    });
    expect([full.status, full.stderr]).toEqual([1, expect.stringContaining("the output cannot be written")]);
  });

  it("says in one line each what is wrong", () => {
    expect(text.stderr).toBe(
      [
        "cairn: several.ts has no workflow as its default export; choose one with --workflow: several.first, several.second",
        "cairn: nothing.ts declares no workflow",
        "cairn: missing.ts does not exist",
        "cairn: throws-on-load.ts cannot be loaded: RangeError: not today",
        "",
      ].join("\n"),
    );
  });

  it("takes input and signals from flags, in the tagged encoding", () => {
    const flags = ["--input", '"bob"', "--signals", '{"approved":[{"by":"eve"}]}'];
    const { stdout } = cairn("try", "hello.ts", "waits.ts", ...flags);
    expect(stdout).toContain('result {"text":"hello bob"');
    expect(stdout).toContain('result "eve"\n');
  });

  it("refuses an input that does not fit its type before the run starts", () => {
    const { stdout, stderr, code } = cairn("try", "typed.ts", "--input", '{"id":"a","cent":5}');
    expect(stderr).toBe(
      'cairn: typed.ts: typed: input: "cents": missing; "cent": there is no such property; did you mean "cents"?\n',
    );
    expect(stdout).not.toContain("charge");
    expect(code).toBe(1);
    const json = cairn("try", "typed.ts", "--json", "--input", "5");
    expect(json.lines()).toEqual([
      {
        file: "typed.ts",
        error: { $error: expect.objectContaining({ names: ["InvalidInput", "Error"] }) },
        steps: [],
      },
    ]);
    expect(json.stderr).toBe("");
    expect(json.code).toBe(1);
    expect(cairn("try", "typed.ts", "--input", '{"id":"a","cents":5}').stdout).toContain('result "a: 5 charged"');
  });

  it("says what a workflow takes, and how to give it, when there is no input", () => {
    const { stderr, code } = cairn("try", "typed.ts");
    expect(stderr).toBe(
      "cairn: typed.ts: typed: input: expected object, not undefined\n" +
        `  Give one with --input '{"id":"…","cents":0}', or let the module export it: \`export const input = …\`.\n`,
    );
    expect(code).toBe(1);
    const [line] = cairn("try", "typed.ts", "--json").lines() as Line[];
    expect(line?.error).toEqual({ $error: expect.objectContaining({ names: ["InvalidInput", "Error"] }) });
  });

  it("refuses two different actions of one name", () => {
    const { stderr, code } = cairn("try", "clash.ts");
    expect(stderr).toBe('cairn: clash.ts: two different actions are called "greet". Rename one.\n');
    expect(code).toBe(1);
  });

  it("chooses a workflow by name, and lists the names when there is none", () => {
    expect(cairn("try", "several.ts", "--workflow", "several.second").stdout).toContain("  result 2\n");
    const { stderr, code } = cairn("try", "several.ts", "--workflow", "third");
    expect(stderr).toBe('cairn: several.ts has no workflow "third"; it has: several.first, several.second\n');
    expect(code).toBe(1);
  });

  it("says in one line what is wrong with a flag", () => {
    const malformed = cairn("try", "hello.ts", "--input", "{nope");
    expect(malformed.stderr).toMatch(/^cairn: --input is not JSON in the tagged encoding: .+\n$/);
    expect(malformed.code).toBe(1);
    const { stderr } = cairn("try", "hello.ts", "--signals", "[1]");
    expect(stderr).toBe("cairn: --signals must be an object of arrays: { name: [values] }\n");
  });

  it("runs a file outside any project with the command's own cairnjs", () => {
    const folder = mkdtempSync(join(tmpdir(), "cairn-"));
    try {
      const source = [
        'import { action, workflow } from "cairnjs";',
        'const one = action("one", async () => 1);',
        'export default workflow("alone", async () => (await one()) + 1);',
      ];
      writeFileSync(join(folder, "alone.mjs"), source.join("\n"));
      expect(cairnIn(folder, "try", "alone.mjs").stdout).toContain("  result 2\n");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
