// Installs dependencies when they are missing or older than the lock file, so that every command works on a fresh clone.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";

const marker = "node_modules/.package-lock.json";
const fresh = existsSync(marker) && statSync(marker).mtimeMs >= statSync("package-lock.json").mtimeMs;
if (!fresh) {
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
}
