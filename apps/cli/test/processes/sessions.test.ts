import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
import { testBed } from "../../../control-plane/test/support/test-engine.ts";
import { build } from "../command.ts";
import { cairnProcess, freePorts, installedProject } from "./processes.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const run = promisify(execFile);

beforeAll(build);

/** The fenced blocks of the README, in order. */
function blocksOf(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(([, text]) => text!);
}

it("the sessions of the README, with curl and with buf curl, go from start to result as they stand there", async () => {
  const page = readFileSync(`${root}README.md`, "utf8");
  const [workflow = ""] = blocksOf(page, "ts");
  const shells = blocksOf(page, "sh");
  const curl = shells.find((text) => text.includes("curl -s")) ?? "";
  const buf = shells.find((text) => text.includes("buf curl")) ?? "";
  expect(shells.some((text) => text.includes("npx cairn dev my-workflow.ts"))).toBe(true);
  const folder = installedProject({ "my-workflow.ts": workflow });
  const { url } = await testBed();
  const [api = "", grpc = ""] = await freePorts(2);
  const env = { DATABASE_URL: url, API_PORT: api, GRPC_PORT: grpc };
  await cairnProcess(folder, ["dev", "my-workflow.ts"], env).says("The worker is ready");
  /** As it stands there, but for the ports: others may have those. */
  const session = async (text: string): Promise<string> => {
    const here = text
      .replaceAll("localhost:9000", `localhost:${api}`)
      .replaceAll("localhost:50051", `localhost:${grpc}`);
    const PATH = [`${root}node_modules/.bin`, process.env["PATH"]].join(delimiter);
    const { stdout } = await run("bash", ["-euo", "pipefail", "-c", here], {
      cwd: folder,
      env: { ...process.env, PATH },
    });
    return stdout;
  };
  const plain = await session(curl);
  expect(plain).toContain('"status":"succeeded"');
  expect(plain).toContain('"result":{"parcel":"A-17"}');
  expect(plain).toMatch(/^\{"id":"[-0-9a-f]{36}","existed":false\}/);
  const generic = await session(buf);
  expect(generic).toContain("RUN_STATUS_SUCCEEDED");
  expect(generic).toContain('{\\"parcel\\":\\"A-17\\"}');
});
