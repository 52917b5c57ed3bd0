// Installs dependencies when they are missing or older than the lock file, so that every command works on a fresh clone.
// Not `npm ci`: it refuses the lock file for optional packages of other platforms that npm itself left out.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";

const marker = "node_modules/.package-lock.json";
const fresh = existsSync(marker) && statSync(marker).mtimeMs >= statSync("package-lock.json").mtimeMs;
if (!fresh) {
  const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--no-save"], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
}
