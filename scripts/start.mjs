// Shows what Cairn does: compiles an example workflow, prints its program, and runs it on the VM in memory.
import { spawnSync } from "node:child_process";

const cli = "apps/cli/dist/main.js";
const example = "examples/checkout.ts";
for (const args of [
  ["compile", example, "--listing"],
  ["try", example],
]) {
  console.log(`\n$ cairn ${args.join(" ")}\n`);
  const { status } = spawnSync(process.execPath, [cli, ...args], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
console.log("\nTry next: change examples/checkout.ts and start again, or run another one:");
console.log("  npx cairn try examples/onboarding.ts --restore-everywhere");
