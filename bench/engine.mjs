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
    atLeast("steps/s, 2,000 × 5, of raw rows/s", steps, 0.1, `${of((round) => round.steps).toPrecision(3)}/s`),
    atLeast("one-step runs/s, of raw rows/s", runs, 0.04, `${of((round) => round.runs).toPrecision(3)}/s`),
    atMost("sequential step, of one committed insert", step, 2, `${of((round) => round.step).toPrecision(3)} ms`),
    atMost("step after 10,000 inputs, of one after 10", growth, 1.2, `${long.late.toPrecision(3)} ms`),
    ...counted("per step, 2,000 runs at once", loaded),
    ...counted("per step, one run alone", alone),
  ];
}

/** A neighbour on the machine moves these by a tenth or two: what is this far beyond the aim was made slower. */
const SLACK = 1.4;

function atLeast(label, ratio, aim, absolute) {
  const value = `${ratio.toFixed(3)} (${absolute})`;
  return { label, value, aim: `at least ${aim}`, ok: ratio >= aim, blocking: ratio < aim / SLACK };
}

function atMost(label, ratio, aim, absolute) {
  const value = `${ratio.toFixed(3)} (${absolute})`;
  return { label, value, aim: `at most ${aim}`, ok: ratio <= aim, blocking: ratio > aim * SLACK };
}

function counted(when, { commits, inserted, updated, deleted, walBytes }) {
  const rows = `${inserted.toFixed(2)} + ${updated.toFixed(2)} + ${deleted.toFixed(2)}`;
  return [
    { label: `${when}: transactions`, value: commits.toFixed(3) },
    { label: `${when}: rows inserted, updated, deleted`, value: rows },
    { label: `${when}: bytes of WAL`, value: walBytes.toFixed(0) },
  ];
}
