import { spawnSync } from "node:child_process";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { build, cairn, cairnIn, fixtures } from "./command.ts";
import { temporaryProject, workflowModule } from "./temporary-project.ts";

beforeAll(build);

const SOUND = workflowModule("sound", "return 1;");
const FETCHES = workflowModule("fetches", 'return await fetch("https://example.com");');
const WARNED = `import { sleep, workflow } from "cairnjs";\nexport default workflow("warned", async () => {\n  void sleep(1);\n});\n`;

interface Document {
  readonly errors: number;
  readonly warnings: number;
  readonly files: number;
  readonly workflows: number;
  readonly diagnostics: { readonly code: string; readonly file: string; readonly line: number }[];
  readonly unreadable: unknown[];
  readonly skipped: string[];
}

function documentOf(folder: string, ...args: string[]): Document {
  const [document] = cairnIn(folder, "check", "--json", ...args).lines() as [Document];
  return document;
}

/** Without names that clash: several files of a test have the same text. */
function found(folder: string, ...args: string[]): string[] {
  const diagnostics = documentOf(folder, ...args).diagnostics.filter(({ code }) => code !== "CAIRN5006");
  return diagnostics.map(({ code, file, line }) => `${file}:${line} ${code}`);
}

describe("cairn check", () => {
  it("shows every problem with its place, frame and hint, sorted by file, and sums them up", () => {
    const folder = temporaryProject({ "b.ts": FETCHES, "a.ts": WARNED, "c.ts": SOUND });
    const { stdout, stderr, code } = cairnIn(folder, "check");
    expect(stdout.match(/^(?:error|warning) \w+|^ {2}at .+$/gm)).toEqual([
      "warning CAIRN4003",
      "  at a.ts:3:3",
      "error CAIRN2006",
      "  at b.ts:4:14",
    ]);
    expect(stdout).toContain('> 4 | return await fetch("https://example.com");\n    |              ^^^^^\n');
    expect(stdout).toContain("\n1 error, 1 warning in 2 of 3 files, 3 workflows\n");
    expect(stdout).toContain("cairn explain CAIRN4003 says more");
    expect([stderr, code]).toEqual(["", 1]);
  });

  it("warns of a name that two files declare", () => {
    const action = 'import { action } from "cairnjs";\n\nexport const load = action("sound", async () => 1);\n';
    const folder = temporaryProject({ "b.ts": SOUND, "a.ts": SOUND, "c.ts": action, "jobs/d.ts": action });
    const { stdout, code } = cairnIn(folder, "check");
    expect(stdout.match(/^(?:error|warning) .+|^ {2}at .+$/gm)).toEqual([
      "warning CAIRN5006: There are two workflows with the name sound; the other one is at a.ts:3.",
      "  at b.ts:3:25",
      "warning CAIRN5006: There are two actions with the name sound; the other one is at c.ts:3.",
      "  at jobs/d.ts:3:28",
    ]);
    expect(code).toBe(0);
  });

  it("has nothing to say about sound workflows but their number", () => {
    const folder = temporaryProject({
      "a.ts": SOUND,
      "actions.ts": 'import { action } from "cairnjs";\naction("a", async () => 1);',
    });
    expect(cairnIn(folder, "check")).toMatchObject({
      stdout: "no problems in 2 files, 1 workflow\n",
      stderr: "",
      code: 0,
    });
  });

  it("reports a problem of a shared helper once, however many workflows reach it", () => {
    const user = (name: string): string =>
      workflowModule(name, "return helper();", 'import { helper } from "./helper.ts";');
    const folder = temporaryProject({
      "one.ts": user("one"),
      "two.ts": user("two"),
      "helper.ts": "export const helper = () => process.pid;\n",
    });
    expect(found(folder)).toEqual(["helper.ts:1 CAIRN2005"]);
    expect(documentOf(folder)).toMatchObject({ errors: 1, files: 3, workflows: 2 });
    const use = { workflow: "one", file: "one.ts", line: 4, column: 8, others: 1 };
    expect(documentOf(folder).diagnostics).toMatchObject([{ usedBy: use }]);
    const { stdout } = cairnIn(folder, "check");
    expect(stdout).toContain("\n  at helper.ts:1:29\n  used by workflow `one` at one.ts:4:8, and by 1 more\n");
  });

  it("follows workflow and action through modules of the project that pass them on", () => {
    const folder = temporaryProject({
      "lib/cairn.ts":
        'import { action } from "cairnjs";\nexport { workflow } from "cairnjs";\nexport const task = action;\n',
      "lib/index.ts": 'export * from "./cairn.ts";\n',
      "flow.ts":
        'import { task, workflow } from "./lib/index.ts";\nexport const t = task("t", () => 1);\nexport const w = workflow("w", async () => new Intl.Collator());\n',
      "main.ts": 'import { w } from "./flow.ts";\nconsole.log(w);\n',
    });
    expect(found(folder, "flow.ts", "main.ts")).toEqual(["flow.ts:2 CAIRN5001", "flow.ts:3 CAIRN2008"]);
  });

  it("reports an action that is not async in a module without workflows", () => {
    const folder = temporaryProject({
      "a.ts": 'import { action } from "cairnjs";\nexport const a = action("a", () => 1);\n',
    });
    expect(documentOf(folder)).toMatchObject({
      errors: 1,
      files: 1,
      workflows: 0,
      diagnostics: [{ code: "CAIRN5001" }],
    });
  });

  it("gives programs the whole range, the texts and the address of the page", () => {
    const folder = temporaryProject({ "src/a.ts": FETCHES });
    expect(documentOf(folder, "src").diagnostics).toEqual([
      {
        code: "CAIRN2006",
        severity: "error",
        file: join("src", "a.ts"),
        line: 4,
        column: 14,
        endLine: 4,
        endColumn: 19,
        message: expect.stringMatching(/^fetch is not available/),
        hint: expect.stringMatching(/^Make the request in an action/),
        usedBy: null,
        url: expect.stringMatching(/^https:.*CAIRN2006/),
      },
    ]);
  });

  it("limits warnings when asked, and keeps quiet about them when asked", () => {
    const folder = temporaryProject({ "a.ts": WARNED });
    expect(cairnIn(folder, "check", "--max-warnings", "1").code).toBe(0);
    const limited = cairnIn(folder, "check", "--max-warnings", "0");
    expect(limited.stderr).toBe("cairn: more warnings than --max-warnings 0 allows: 1\n");
    expect(limited.code).toBe(1);
    expect(cairnIn(folder, "check", "--quiet")).toMatchObject({ stdout: "", stderr: "", code: 0 });
    expect(found(folder, "--quiet")).toEqual([]);
  });

  it("writes no escape sequences into a pipe", () => {
    expect(cairn("check", "rejected.ts").stdout).not.toContain("\u001B");
  });

  it("explains a code, in any case or by its number, and lists them all", () => {
    const { stdout, code } = cairn("explain", "cairn2006");
    expect(stdout).toMatch(/^CAIRN2006: Network access\n/);
    expect(stdout).toContain("Wrong:\n\n    const response = await fetch(");
    expect(stdout).toContain("Right:\n");
    expect(code).toBe(0);
    expect(cairn("explain", "2006").stdout).toBe(stdout);
    expect(cairn("explain").stdout.match(/^CAIRN\d{4} {2}.+$/gm)?.length).toBeGreaterThan(80);
    const page = JSON.parse(cairn("explain", "2006", "--json").stdout) as { page: string };
    expect(page).toMatchObject({ code: "CAIRN2006", title: expect.any(String), url: expect.stringMatching(/^https:/) });
    expect(page.page).toContain("CAIRN2006");
    const { codes } = JSON.parse(cairn("explain", "--json").stdout) as { codes: { code: string }[] };
    expect(codes.map(({ code: each }) => each)).toContain("CAIRN2006");
    expect(cairn("explain", "CAIRN9999")).toMatchObject({
      stderr: "cairn: there is no code CAIRN9999; `cairn explain` lists them all\n",
      code: 2,
    });
  });
});

describe("the files that cairn check looks at", () => {
  const sources = {
    "src/a.ts": FETCHES,
    "src/types.d.ts": FETCHES,
    "node_modules/p/a.ts": FETCHES,
    "dist/a.js": FETCHES,
    ".hidden/a.ts": FETCHES,
    "generated/a.ts": FETCHES,
    "packages/b/index.mts": FETCHES,
  };

  it("are those below the folder, without packages, outputs and hidden folders", () => {
    const folder = temporaryProject({ ...sources, ".gitignore": "generated\n" });
    expect(found(folder)).toEqual([
      "generated/a.ts:4 CAIRN2006",
      "packages/b/index.mts:4 CAIRN2006",
      "src/a.ts:4 CAIRN2006",
    ]);
  });

  it("are in a repository those that Git does not ignore, also in a Git hook, and those that are named", () => {
    const folder = temporaryProject({ ...sources, ".gitignore": "generated\n", "src/gone.ts": FETCHES });
    const git = (...args: string[]): void => {
      expect(spawnSync("git", args, { cwd: folder }).status).toBe(0);
    };
    git("init", "-q");
    git("add", "src");
    rmSync(join(folder, "src/gone.ts"));
    const listed = ["packages/b/index.mts:4 CAIRN2006", "src/a.ts:4 CAIRN2006"];
    expect(found(folder)).toEqual(listed);
    expect(found(folder, "generated")).toEqual(["generated/a.ts:4 CAIRN2006"]);
    expect(found(folder, "dist/a.js")).toEqual(["dist/a.js:4 CAIRN2006"]);
    process.env["GIT_DIR"] = ".git";
    try {
      expect(found(join(folder, "src"))).toEqual(["a.ts:4 CAIRN2006"]);
    } finally {
      delete process.env["GIT_DIR"];
    }
  });

  it("are found with tsconfig's paths", () => {
    const ran = cairnIn(join(fixtures, "project"), "check");
    expect(ran).toMatchObject({ stderr: "", code: 0 });
    expect(ran.stdout).toMatch(/^no problems in 5 files, /);
  });

  it("are not those that only look like JavaScript that we read", () => {
    const folder = temporaryProject({
      "flow.ts": SOUND,
      "page.js": 'import flow from "./flow.ts";\nexport default () => <p>{flow}</p>;\n',
      "video.ts": "G\u0000\u0001@@@@",
    });
    expect(cairnIn(folder, "check")).toMatchObject({ stdout: "no problems in 1 file, 1 workflow\n", code: 0 });
  });
});

describe("cairn check that is called wrongly", () => {
  it("says which path is missing or is no source, with exit code 2", () => {
    const folder = temporaryProject({ "notes.txt": "" });
    expect(cairnIn(folder, "check", "src")).toMatchObject({ stderr: "cairn: src does not exist\n", code: 2 });
    expect(cairnIn(folder, "check", "notes.txt")).toMatchObject({
      stderr: "cairn: notes.txt is neither a folder nor a TypeScript or JavaScript file\n",
      code: 2,
    });
    expect(cairnIn(folder, "check", "--max-warnings", "many").code).toBe(2);
    expect(cairnIn(folder, "check", "--no-such-flag").code).toBe(2);
  });

  it("says that a folder has nothing to check, which a file that is named may have", () => {
    const folder = temporaryProject({ "a.ts": "export const a = 1;\n" });
    expect(cairnIn(folder, "check")).toMatchObject({
      stdout: "",
      stderr: "cairn: nothing to check: no file in . imports cairnjs\n",
      code: 1,
    });
    expect(cairnIn(folder, "check", "a.ts").code).toBe(0);
  });

  it("names a file that cannot be read, and checks the others", () => {
    const folder = temporaryProject({ "a.ts": SOUND });
    symlinkSync("loop.ts", join(folder, "loop.ts"));
    const { stdout, stderr, code } = cairnIn(folder, "check");
    expect([stdout, stderr, code]).toEqual([
      "no problems in 1 file, 1 workflow\n",
      "cairn: loop.ts cannot be read: ELOOP\n",
      1,
    ]);
  });

  it("leaves out a huge generated file unless it is named, and says so", () => {
    const huge = `import { action } from "cairnjs";\n${'action("a", () => 1);\n'.padEnd(1_000_100)}`;
    const folder = temporaryProject({ "a.ts": SOUND, "huge.ts": huge });
    const { stderr, code } = cairnIn(folder, "check");
    expect(stderr).toBe(
      "cairn: huge.ts is too long to be written by hand and is left out; name it to have it checked\n",
    );
    expect(code).toBe(0);
    expect(documentOf(folder).skipped).toEqual(["huge.ts"]);
    expect(found(folder, "huge.ts")).toEqual(["huge.ts:2 CAIRN5001"]);
  });

  it("reports source that is no TypeScript as a syntax error of that file alone", () => {
    const folder = temporaryProject({
      "a.ts": FETCHES,
      "broken.ts": 'import { workflow } from "cairnjs";\nconst = ;\n',
    });
    expect(found(folder)).toEqual(["a.ts:4 CAIRN2006", "broken.ts:2 CAIRN1001"]);
  });
});
