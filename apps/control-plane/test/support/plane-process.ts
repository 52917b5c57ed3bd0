import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const app = fileURLToPath(new URL("../grpc/plane-app.mjs", import.meta.url));

export interface PlaneProcess {
  readonly port: number;
  /** Resolves when it is gone. */
  kill(signal: "SIGKILL" | "SIGTERM"): Promise<number | null>;
}

/** `grpc/plane-app.mjs`, once it listens: on a free port, or where another one was. */
export async function startPlane(
  url: string,
  { port = 0, heartbeatMs = 10_000, leaseMs = 30_000 } = {},
): Promise<PlaneProcess> {
  const child: ChildProcess = spawn(process.execPath, [app], {
    env: {
      ...process.env,
      DATABASE_URL: url,
      CAIRN_TEST_PORT: String(port),
      CAIRN_TEST_HEARTBEAT_MS: String(heartbeatMs),
      CAIRN_TEST_LEASE_MS: String(leaseMs),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const listening = await new Promise<number>((resolve, reject) => {
    child.stdout!.on("data", (line: Buffer) => resolve(Number(line.toString())));
    child.on("exit", (code) => reject(new Error(`the control plane ended with ${code}`)));
  });
  return {
    port: listening,
    kill: (signal) =>
      new Promise((resolve) => {
        child.on("exit", (code) => resolve(code));
        child.kill(signal);
      }),
  };
}
