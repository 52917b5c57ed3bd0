import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readEnvironment } from "./config-file.ts";
import { CONTROL_PLANE_SETTINGS, type Environment } from "./known-settings.ts";

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "cairn-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const read = (folder: string, env: Environment = {}, flags: object = {}): Promise<Environment> =>
  readEnvironment(env, CONTROL_PLANE_SETTINGS, flags, folder);

describe("settings of cairn.config", () => {
  it("count less than variables, and these less than flags; an empty variable says nothing", async () => {
    const folder = folderWith({
      "cairn.config.mjs": 'export default { apiPort: 1, grpcPort: "2", leaseMs: 3, host: "h", heartbeatMs: 4 };',
    });
    const env = { GRPC_PORT: "20", CAIRN_LEASE_MS: "30", CAIRN_HEARTBEAT_MS: " " };
    expect(await read(folder, env, { grpcPort: "200" })).toEqual({
      API_PORT: "1",
      GRPC_PORT: "200",
      CAIRN_LEASE_MS: "30",
      CAIRN_HOST: "h",
      CAIRN_HEARTBEAT_MS: "4",
    });
  });

  it("may be JavaScript or JSON, with lists, numbers and switches", async () => {
    const settings = '{ modules: ["a.ts", "b.ts"], pooled: true, apiUrl: "http://x" }';
    const said = { CAIRN_MODULES: "a.ts,b.ts", CAIRN_POOLED: "1", CAIRN_API_URL: "http://x" };
    const plain = folderWith({ "cairn.config.json": '{"apiPort":7}', "other.mjs": `export default ${settings};` });
    expect(await read(plain)).toEqual({ API_PORT: "7" });
    expect(await read(plain, { CAIRN_CONFIG: "other.mjs" })).toMatchObject(said);
    expect(await read(plain, {}, { config: "other.mjs" })).toMatchObject(said);
    expect(await read(folderWith({}))).toEqual({});
  });

  it("that cannot be right are refused in one line, with what may have been meant", async () => {
    const cases: [string, string][] = [
      ["export default { apiProt: 1 };", "has no setting apiProt: did you mean apiPort?"],
      ["export default { leaseMs: {} };", "leaseMs is a text, a number, true or false, a list of texts, not {}"],
      ["export default { leaseMs: NaN };", "leaseMs is a text"],
      ["export const apiPort = 1;", "exports an object of settings by default"],
      ["export default [];", "exports an object of settings by default"],
      ["export default {", "cannot be loaded: "],
      ["throw new Error('no')", "cannot be loaded: Error: no"],
    ];
    for (const [text, says] of cases) {
      await expect(read(folderWith({ "cairn.config.mjs": text })), text).rejects.toThrow(says);
    }
    await expect(read(folderWith({ "cairn.config.json": "{" }))).rejects.toThrow("cannot be loaded: SyntaxError");
    await expect(read(folderWith({}), { CAIRN_CONFIG: "none.ts" })).rejects.toThrow("there is no none.ts");
    await expect(read(folderWith({}), { CAIRN_LEESE_MS: "1" })).rejects.toThrow("did you mean CAIRN_LEASE_MS?");
  });
});
