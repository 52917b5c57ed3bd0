import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ModuleChecks } from "./module-checks.ts";

it("keeps what it knows about files that no change can have touched", () => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-checks-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const head = 'import { workflow } from "cairnjs";\nimport { helper } from "./helper.ts";\n';
  const files = [
    write("user.ts", `${head}export default workflow("user", async () => helper());\n`),
    write("other.ts", `${head}export default workflow("other", async () => 1);\n`),
  ];
  const helper = write("helper.ts", "export const helper = () => 1;\n");
  const checks = new ModuleChecks();
  const found = { files, named: new Set<string>(), unreadable: [] };
  const [user, other] = checks.update(found, null, () => {});
  write("helper.ts", "export const helper = () => process.pid;\n");
  const [changedUser, sameOther] = checks.update(found, new Set([helper]), () => {});
  expect(user?.diagnostics).toEqual([]);
  expect(changedUser?.diagnostics).toMatchObject([{ code: "CAIRN2005", file: helper }]);
  expect(sameOther).toBe(other);
});
