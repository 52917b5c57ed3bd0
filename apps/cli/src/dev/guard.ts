import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("./postgres-guard.js", import.meta.url));

/** Has an embedded Postgres stopped if this process ends without doing so. `dataFolder` is Postgres's own. */
export function guardPostgres(dataFolder: string): { release(): void } {
  const guard = spawn(process.execPath, [MAIN, join(dataFolder, "postmaster.pid")], {
    stdio: ["pipe", "ignore", "ignore"],
    // Out of reach of a terminal's Ctrl-C: it ends after us.
    detached: true,
  });
  // If there is none, Postgres stays, and the next start goes on with it.
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  guard.unref();
  return { release: () => void guard.stdin.end("over") };
}
