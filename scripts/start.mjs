// Shows what Cairn does: Postgres, the engine and an example workflow in one process.
import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";

const hook = pathToFileURL("packages/sdk/dist/register/index.js").href;
const child = spawn(process.execPath, ["--import", hook, "examples/start.ts"], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => {
  if (signal !== null)
    console.log(`\nThe process was ended by ${signal}. Type npm start: the run goes on where it was.`);
  process.exitCode = code ?? 1;
});
