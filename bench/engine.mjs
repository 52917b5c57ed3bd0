import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

/** The engine in a process of its own, since its workflows are compiled while they are loaded. */
export async function engine() {
  const hook = pathToFileURL("packages/sdk/dist/register/index.js").href;
  const env = { ...process.env };
  delete env.DATABASE_URL;
  const { status, stdout } = spawnSync(process.execPath, ["--import", hook, "bench/engine/main.ts"], {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    env,
  });
  if (status !== 0) throw new Error(`the engine's bench ended with ${status}`);
  const { rounds, long, loaded, alone } = JSON.parse(stdout);
  const of = (ratio) => median(rounds.map(ratio));
  const steps = of((round) => round.steps / round.rows);
  const runs = of((round) => round.runs / round.rows);
  const step = of((round) => round.step / round.insert);
  const growth = long.late / long.early;
  return [
    row(
      "steps/s, 2,000 × 5, of raw rows/s",
      steps,
      of((round) => round.steps),
      "at least 0.1",
      steps >= 0.1,
    ),
    row(
      "one-step runs/s, of raw rows/s",
      runs,
      of((round) => round.runs),
      "at least 0.04",
      runs >= 0.04,
    ),
    row(
      "sequential step, of one committed insert",
      step,
      of((round) => round.step),
      "at most 2",
      step <= 2,
      "ms",
    ),
    row("step after 10,000 inputs, of one after 10", growth, long.late, "at most 1.2", growth <= 1.2, "ms"),
    ...counted("per step, 2,000 runs at once", loaded),
    ...counted("per step, one run alone", alone),
  ];
}

function row(label, ratio, absolute, aim, ok, unit = "/s") {
  return { label, value: `${ratio.toFixed(3)} (${absolute.toPrecision(3)} ${unit})`, aim, ok };
}

function counted(when, { commits, inserted, updated, deleted, walBytes }) {
  const rows = `${inserted.toFixed(2)} + ${updated.toFixed(2)} + ${deleted.toFixed(2)}`;
  return [
    { label: `${when}: transactions`, value: commits.toFixed(3) },
    { label: `${when}: rows inserted, updated, deleted`, value: rows },
    { label: `${when}: bytes of WAL`, value: walBytes.toFixed(0) },
  ];
}
