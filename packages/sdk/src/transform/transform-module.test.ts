import { type Program, programHash } from "@cairnjs/ir";
import { compile } from "@cairnjs/compiler";
import { describe, expect, it } from "vitest";
import { CompileFailed, warningsOf } from "./compile-failed.ts";
import { type TransformedModule, type TransformHooks, transformModule } from "./transform-module.ts";

/** Modules by path, all in one folder. */
function hooksOf(modules: Readonly<Record<string, string>>): TransformHooks {
  return {
    resolve: (specifier) => (specifier.startsWith("./") ? specifier.slice(2) : null),
    read: (id) => modules[id] ?? "",
    fileId: (path) => `src/${path}`,
    mayConcern: () => true,
  };
}

function transformed(modules: Readonly<Record<string, string>>, path = "main.ts"): TransformedModule {
  const made = transformModule(path, modules[path] ?? "", hooksOf(modules), { module: `file:///${path}` });
  if (made === null) throw new Error("Nothing was found in it");
  return made;
}

/** What the module function at the end of a transformed module returns, without its arrows. */
function embeddedIn({ code }: TransformedModule): {
  id: string;
  workflows: { hash: string; program: string }[];
  sources: Record<string, string>;
} {
  const text = /function \$cairn_module\(\) \{ return (.*); \}\n/.exec(code)?.[1] ?? "";
  return new Function("$cairn_lifted", `return ${text}`)() as ReturnType<typeof embeddedIn>;
}

const WORKFLOW = `import { step, workflow } from "cairnjs";
export const greet = workflow("greet", async (name: string) => step("say", async () => "Hello " + name));
`;

describe("transformModule", () => {
  it("wraps the workflow, lifts the arrow and changes no line before the end", () => {
    const { code } = transformed({ "main.ts": WORKFLOW });
    expect(code.split("\n").slice(0, 5)).toEqual([
      'import { compiledWorkflow as $cairn_compiled, registerSteps as $cairn_register } from "cairnjs/compiled";import { step, workflow } from "cairnjs";',
      'export const greet = $cairn_compiled(workflow("greet", async (name: string) => step("say", $cairn_lifted(0), () => ({ name }))), $cairn_module, 0);',
      "",
      "function $cairn_lifted(index) { switch (index) {",
      'case 0: return { step: ({ name }) => (async () => "Hello " + name)() }.step;',
    ]);
  });

  it("embeds the program that the compiler makes, with file names of the project", () => {
    const made = transformed({ "main.ts": WORKFLOW });
    const [compiled] = compile("main.ts", hooksOf({ "main.ts": WORKFLOW })).workflows;
    const [workflow] = embeddedIn(made).workflows;
    const program = JSON.parse(workflow?.program ?? "") as Program;
    expect(workflow?.hash).toBe(compiled?.hash);
    expect(programHash(program)).toBe(compiled?.hash);
    expect(program.debug.files).toEqual(["src/main.ts"]);
    expect(embeddedIn(made).sources).toEqual({ "src/main.ts": WORKFLOW });
    expect(program.steps[0]?.file).toBe("src/main.ts");
  });

  it("names the modules that the result depends on", () => {
    const modules = {
      "main.ts": `import { workflow } from "cairnjs";\nimport { twice } from "./twice";
        export default workflow("w", async (n: number) => twice(n));`,
      twice: `export const twice = (n: number) => n * 2;`,
    };
    expect(transformed(modules).dependencies).toEqual(["twice"]);
  });

  it("lifts the steps of a module of helpers, and gives it another id when its text changes", () => {
    const helper = `import { step } from "./own";\nexport const tell = async (n: number) => step("tell", async () => n);\n`;
    const modules = { "main.ts": helper, own: `export * from "cairnjs";` };
    const { code } = transformed(modules);
    expect(code).toContain('step("tell", $cairn_lifted(0), () => ({ n }))');
    expect(code).toContain("$cairn_register($cairn_module);");
    const other = transformed({ ...modules, "main.ts": `${helper}// changed\n` });
    expect(embeddedIn(other).id).not.toBe(embeddedIn(transformed(modules)).id);
  });

  it("leaves a step alone that no workflow may contain", () => {
    const source = `import { step } from "cairnjs";\nexport const f = async (n: number) => step("x", async () => { n = 2; });\n`;
    expect(transformModule("main.ts", source, hooksOf({ "main.ts": source }))).toBeNull();
  });

  it("finds nothing in modules of others", () => {
    for (const source of ["", "export const step = 1;", `import { step } from "other"; step("x", async () => 1);`]) {
      expect(transformModule("main.ts", source, hooksOf({ "main.ts": source }))).toBeNull();
    }
  });

  it("leaves syntax that it does not know to the next tool, unless a workflow is written in it", () => {
    const jsx = `import { definitionOf } from "cairnjs";\nexport const View = () => <b>{String(definitionOf)}</b>;`;
    expect(transformModule("view.js", jsx, hooksOf({ "view.js": jsx }))).toBeNull();
    const broken = `import { workflow } from "cairnjs";\nexport default workflow("w", async () => {`;
    expect(transformed({ "main.ts": broken }).diagnostics.map(({ code }) => code)).toEqual(["CAIRN1001"]);
  });

  it("embeds the error classes that its workflows know and the module has or imports", () => {
    const source = `import { workflow } from "cairnjs";
      import { Refused as No, Unused } from "./errors";
      import { check } from "./check";
      class Late extends Error {}
      export class Elsewhere extends Error {}
      export default workflow("w", async (n: number) => {
        check(n);
        if (n > 1) throw new No("no");
        throw new Late();
      });
      export type Both = Unused;`;
    const check = `class Hidden extends Error {}\nexport const check = (n: number) => { if (n > 9) throw new Hidden(); };`;
    const errors = `export class Refused extends Error {}\nexport class Unused extends Error {}`;
    const { code } = transformed({ "main.ts": source, errors, check });
    expect(code).toContain('errors: () => ({ "Late": Late, "Refused": No })');
  });

  it("keeps the names of error classes when the bundle will be minified", () => {
    const source = `export class Declined extends Error {}\nclass Worse extends Declined { x = 1; }\nexport class Other {}\n`;
    const made = transformModule("errors.ts", source, hooksOf({}), { minified: true });
    const minified = made?.code.replaceAll("export ", "").replaceAll(/\b(Declined|Worse|Other)\b(?!")/g, "$1$1") ?? "";
    const names = new Function(
      `${minified}; return [DeclinedDeclined, WorseWorse, OtherOther].map(({ name }) => name);`,
    );
    expect(names()).toEqual(["Declined", "Worse", "OtherOther"]);
    expect(transformModule("errors.ts", source, hooksOf({}))).toBeNull();
  });
});

describe("warningsOf", () => {
  it("throws all errors at once, and gives warnings as text", () => {
    const bad = `import { workflow } from "cairnjs";\nexport default workflow("w", async () => { fetch("x"); setTimeout(() => 1, 2); });\n`;
    const { diagnostics } = transformed({ "main.ts": bad });
    const failing = (): unknown => warningsOf(diagnostics, "main.ts", bad, () => "");
    expect(failing).toThrow(CompileFailed);
    expect(failing).toThrow(/fetch[^]*setTimeout/);
    const careless = `import { action, workflow } from "cairnjs";\nconst a = action("a", async () => 1);
      export default workflow("w", async () => { void a(); });\n`;
    const warned = transformed({ "main.ts": careless });
    expect(warningsOf(warned.diagnostics, "main.ts", careless, () => "")).toMatch(
      /^warning CAIRN4003: .*\n {2}at main.ts:3:/,
    );
  });
});
