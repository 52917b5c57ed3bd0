import { beforeAll, describe, expect, it } from "vitest";
import { build, cairn } from "./command.ts";

beforeAll(build);

describe("cairn compile", () => {
  it("names the workflows, their versions and nodes", () => {
    const { stdout, code } = cairn("compile", "hello.ts");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^hello {2}version [0-9a-f]{12}, export default\n/);
    expect(stdout).toContain("  hello/greet  action greet\n  hello/sleep  sleep\n");
  });

  it("lists the instructions beside the source", () => {
    const { stdout } = cairn("compile", "hello.ts", "--listing");
    expect(stdout).toContain('  ; hello.ts:7 await sleep("2 days");\n');
    expect(stdout).toMatch(/\d+ {2}Durable +r\d+ action greet @hello\/greet\n/);
  });

  it("draws the durable calls", () => {
    expect(cairn("compile", "hello.ts", "--graph").stdout).toContain(
      [
        "flowchart TD",
        '  subgraph g0["hello"]',
        '    n0["greet"]',
        '    n1(["sleep"])',
        '    n2(("start"))',
        '    n3((("end")))',
        "  end",
        "  n2 --> n0",
        "  n0 --> n1",
        "  n1 --> n3",
        "",
      ].join("\n"),
    );
  });

  it("draws compensations beside the way, and failures that are caught", () => {
    const lines = cairn("compile", "fails.ts", "--graph").stdout.split("\n");
    expect(lines.filter((line) => /^ {2}n\d/.test(line))).toEqual([
      "  n4 --> n1",
      '  n1 -.->|"undo"| n0',
      "  n1 --> n2",
      '  n2 -->|"catch"| n3',
      "  n2 --> n5",
      "  n3 --> n5",
    ]);
  });

  it("prints the program as JSON, without paths of this machine", () => {
    const ran = cairn("compile", "steps.ts", "--json");
    expect(ran.lines()).toEqual([
      expect.objectContaining({
        file: "steps.ts",
        workflows: [expect.objectContaining({ name: "steps", exportName: "default" })],
        diagnostics: [],
      }),
    ]);
    expect(ran.stdout).not.toContain(process.cwd());
  });

  it("reports all problems of a file at once", () => {
    const text = cairn("compile", "rejected.ts");
    expect([text.code, text.stdout.match(/^error CAIRN\d+/gm)]).toEqual([1, ["error CAIRN2010", "error CAIRN2006"]]);
    const [json] = cairn("compile", "rejected.ts", "--json").lines() as [{ diagnostics: unknown[] }];
    expect(json.diagnostics).toHaveLength(2);
  });

  it("tells its version", () => {
    expect(cairn("--version").stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("says in one line what is wrong", () => {
    expect(cairn("compile", "missing.ts").stderr).toBe("cairn: missing.ts does not exist\n");
    expect(cairn("compile", "nothing.ts").stderr).toBe("cairn: nothing.ts declares no workflow\n");
  });
});
