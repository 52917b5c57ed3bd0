import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { checkBody } from "./run/check-body.ts";
import { withRejections } from "./run/rejections.ts";
import { schedules } from "./run/schedule.ts";
import { type Failure, sourcesOf } from "./run/search.ts";
import { showLine } from "./run/transcript.ts";
import { Session, showFailure } from "./session.ts";

const BATCH_BODIES = 40;

/**
 * `npm run fuzz -- --minutes 30 --seed N` checks random bodies for as long as asked; every distinct failure is
 * shrunk and kept in `fuzz/failures`. `npm run fuzz -- FILE…` checks the files and shows what they do.
 */
async function main(args: readonly string[]): Promise<void> {
  const files = args.filter((arg) => arg.endsWith(".ts"));
  if (files.length > 0) {
    await tryFiles(files);
    return;
  }
  const minutes = Number(option(args, "--minutes") ?? "5");
  const seed = Number(option(args, "--seed") ?? String(Date.now() % 1_000_000));
  console.log(`seed ${seed}, ${minutes} minutes`);
  await withRejections(async (rejections) => {
    const session = await Session.open(seed, rejections);
    const started = Date.now();
    let kept = 0;
    const show = (): void => {
      for (; kept < session.failures.length; kept++) keep(session.failures[kept]!, `${seed}-${kept + 1}`);
      const rate = (session.bodies / ((Date.now() - started) / 1000)).toFixed(1);
      console.log(`${session.summary()}, ${rate} bodies/s`);
    };
    await session.probeBuiltins(2);
    show();
    await session.useProductions();
    show();
    await session.checkCorpus();
    show();
    for (let batch = 0; Date.now() < started + minutes * 60_000; batch++) {
      await session.checkRandom(seed + batch, BATCH_BODIES);
      show();
    }
    for (const [refusal, count] of session.refusals) console.log(`refused ${count} times: ${refusal}`);
    for (const wording of session.wordings.keys()) console.log(`wording: ${wording}`);
    console.log(session.coverage.report());
    process.exitCode = session.failures.length > 0 || !session.coverage.isComplete ? 1 : 0;
  });
}

function option(args: readonly string[], name: string): string | undefined {
  const index = args.indexOf(name);
  return index < 0 ? undefined : args[index + 1];
}

function keep(failure: Failure, name: string): void {
  const folder = new URL(import.meta.url.endsWith(".ts") ? "./failures/" : "../failures/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  const text = showFailure(failure);
  const head = text.slice(0, text.indexOf("\n\n")).replaceAll(/^/gm, "// ");
  writeFileSync(new URL(`${name}.ts`, folder), `${head}\n${failure.body.source}`);
  console.log(`\n${text}\nkept as fuzz/failures/${name}.ts\n`);
}

async function tryFiles(files: readonly string[]): Promise<void> {
  await withRejections(async (rejections) => {
    for (const path of files) {
      const name = basename(path);
      const sources = sourcesOf(readFileSync(path, "utf8"));
      const checked = await checkBody(sources, { schedules: schedules(1, 5), restored: 2 }, rejections);
      console.log(checked.transcripts[0]?.map(showLine).join("\n"));
      for (const { kind, key, detail } of checked.findings) console.log(`${kind} ${key}\n${detail}`);
      console.log(`${name}: ${checked.findings.length} findings, ${checked.runs} runs, ${checked.restores} restores`);
    }
  });
}

await main(process.argv.slice(2));
