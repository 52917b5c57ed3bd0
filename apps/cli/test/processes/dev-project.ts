import { readFileSync } from "node:fs";
import { type TestBed, testBed } from "../../../control-plane/test/support/test-engine.ts";
import { cairnOnce, cairnProcess, type Command, freePorts } from "./processes.ts";

/** Its action says which code it is, and waits for a file if it is told to. */
export function flow(code: string): string {
  return `import { existsSync, writeFileSync } from "node:fs";
import { action, sleep, waitForSignal, workflow } from "cairnjs";
const slow = action("demo.slow.v1", async (file: string) => {
  writeFileSync(file + ".begun", String(process.pid));
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 20));
  return "${code}";
});
const quick = action("demo.quick.v1", async () => "${code}");
export const waits = workflow("demo.waits.v1", async (file: string) => ({ slow: await slow(file), then: await quick() }));
export const sleeps = workflow("demo.sleeps.v1", async () => {
  const before = await quick();
  await sleep("1 hour");
  return { before, after: await quick(), body: "${code}" };
});
export const now = workflow("demo.now.v1", async () => ({ body: "${code}", action: await quick() }));
`;
}

interface Dev {
  readonly dev: Command;
  readonly url: string[];
  readonly bed: TestBed;
  run(type: string, input?: unknown): Promise<unknown>;
}

export async function startDev(folder: string, args: readonly string[] = []): Promise<Dev> {
  const bed = await testBed();
  const [grpc = ""] = await freePorts(1);
  const dev = cairnProcess(folder, ["dev", ...args], { DATABASE_URL: bed.url, API_PORT: "0", GRPC_PORT: grpc });
  const url = ["--url", `127.0.0.1:${grpc}`];
  const run = async (type: string, input?: unknown): Promise<unknown> => {
    const given = input === undefined ? [] : ["--input", JSON.stringify(input)];
    const { stdout, text } = await cairnOnce(folder, ["run", type, "--wait", "--json", ...given, ...url]);
    return stdout === "" ? text : (JSON.parse(stdout) as unknown);
  };
  return { dev, url, run, bed };
}

export async function until<T>(ask: () => T | undefined | false): Promise<T> {
  for (;;) {
    const answer = ask();
    if (answer !== undefined && answer !== false) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export function pidIn(file: string): Promise<number> {
  return until(() => {
    try {
      return Number(readFileSync(file, "utf8")) || undefined;
    } catch {
      return undefined;
    }
  });
}
