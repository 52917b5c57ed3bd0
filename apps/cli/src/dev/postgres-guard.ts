// Beside `cairn dev` and `cairn start`: stops their embedded Postgres if they are killed. The input ends with them, however they
// end; a word on it says that nothing is left to do.
import { readFileSync } from "node:fs";

const [, , pidFile = ""] = process.argv;

let isOver = false;
process.stdin.on("data", () => {
  isOver = true;
});
process.stdin.on("close", () => {
  if (!isOver) stop();
});

function stop(): void {
  try {
    const [pid] = readFileSync(pidFile, "utf8").split("\n");
    // Ends sessions and writes everything, as Postgres does when it is asked to end fast.
    process.kill(Number(pid), "SIGINT");
  } catch {
    // There is none any more.
  }
}
