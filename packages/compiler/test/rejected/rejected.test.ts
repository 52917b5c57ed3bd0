import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { renderDiagnostic } from "../../src/2-analyze/diagnostic.ts";
import { messages } from "../../src/messages/table.ts";
import { diagnosticsOf } from "./diagnostics-of.ts";

const folder = dirname(fileURLToPath(import.meta.url));
const samples = readdirSync(folder).filter((name) => /^CAIRN\d{4}-[a-z-]+\.tsx?$/.test(name));

/** `UPDATE_SAMPLES=1` writes what the compiler says now; read the difference before you keep it. */
const update = process.env["UPDATE_SAMPLES"] === "1";

const hooks = {
  resolve: (specifier: string, importer: string) =>
    specifier.startsWith(".") ? join(dirname(importer), specifier) : null,
  read: (id: string) => readFileSync(join(folder, id), "utf8"),
};

describe("rejected samples", () => {
  it.each(samples)("%s is reported at the right places and with helpful words", (name) => {
    const diagnostics = diagnosticsOf(name, hooks);
    const code = name.slice(0, "CAIRN0000".length);
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toContain(code);
    const rendered = diagnostics.map((diagnostic) => renderDiagnostic(diagnostic, hooks.read(diagnostic.file)));
    const actual = `${rendered.join("\n\n")}\n`;
    const expectedFile = join(folder, name.replace(/\.tsx?$/, ".txt"));
    if (update) writeFileSync(expectedFile, actual);
    expect(actual).toBe(existsSync(expectedFile) ? readFileSync(expectedFile, "utf8") : "");
  });

  it("has a sample for every code", () => {
    const covered = new Set(samples.map((name) => name.slice(0, "CAIRN0000".length)));
    expect(Object.keys(messages).filter((code) => !covered.has(code))).toEqual([]);
  });
});
