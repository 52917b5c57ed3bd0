// Measures speed as ratios within one run: absolute times mean little on a shared machine.
// npm run bench [-- --only interpreter,steps,snapshots,history,compile,engine,streams]
import { compileTime } from "./compile.mjs";
import { engine } from "./engine.mjs";
import { history } from "./history.mjs";
import { interpreter } from "./interpreter.mjs";
import { snapshots } from "./snapshots.mjs";
import { steps } from "./steps.mjs";
import { streams } from "./streams.mjs";

const benches = { interpreter, steps, snapshots, history, compile: compileTime, engine, streams };
const only = process.argv.includes("--only")
  ? process.argv[process.argv.indexOf("--only") + 1]?.split(",")
  : Object.keys(benches);
const unknown = (only ?? []).filter((name) => !(name in benches));
if (only === undefined || unknown.length > 0) {
  console.error(
    `--only takes a list of ${Object.keys(benches).join(", ")}${unknown.length > 0 ? `, not ${unknown.join(", ")}` : ""}`,
  );
  process.exit(2);
}
let failed = false;
for (const name of only) {
  console.log(`\n## ${name}`);
  for (const { label, value, aim, blocking, ok } of await benches[name]()) {
    const mark = ok === undefined ? "" : ok ? "ok" : blocking ? "FAILED" : "below aim";
    if (ok === false && blocking) failed = true;
    console.log(`${label.padEnd(52)} ${value.padStart(34)}  ${(aim ?? "").padEnd(28)} ${mark}`);
  }
}
process.exit(failed ? 1 : 0);
