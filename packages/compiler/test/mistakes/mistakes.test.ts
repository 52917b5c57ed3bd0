import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { renderDiagnostic } from "../../src/2-analyze/diagnostic.ts";
import { diagnosticsOf } from "../rejected/diagnostics-of.ts";

/**
 * What newcomers write, and what they are told, as they see it. `UPDATE_SAMPLES=1` writes what the compiler says now:
 * read it as someone who knows Node.js and nothing of Cairn, and ask whether you would know what to do.
 */
const folder = dirname(fileURLToPath(import.meta.url));
const samples = readdirSync(folder).filter((name) => /^\d\d-[a-z-]+\.ts$/.test(name));
const update = process.env["UPDATE_SAMPLES"] === "1";

const hooks = {
  resolve: (specifier: string, importer: string) =>
    specifier.startsWith(".") ? join(dirname(importer), specifier) : null,
  read: (id: string) => readFileSync(join(folder, id), "utf8"),
};

describe("likely mistakes", () => {
  it.each(samples)("%s is explained", (name) => {
    const diagnostics = diagnosticsOf(name, hooks);
    expect(diagnostics.length).toBeGreaterThan(0);
    const rendered = diagnostics.map((diagnostic) => renderDiagnostic(diagnostic, hooks.read(diagnostic.file)));
    const actual = `${rendered.join("\n\n")}\n`;
    const expectedFile = join(folder, name.replace(/\.ts$/, ".txt"));
    if (update) writeFileSync(expectedFile, actual);
    expect(actual).toBe(existsSync(expectedFile) ? readFileSync(expectedFile, "utf8") : "");
  });
});
