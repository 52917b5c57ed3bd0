import { runWorker, workerLog } from "./command.ts";
import { type LogSettings, readLogSettings } from "./log-settings.ts";

const write = (text: string): void => void process.stderr.write(text);
const writeText = (line: string): void => write(`cairn-worker: ${line}\n`);

process.exit(await main());

async function main(): Promise<number> {
  let settings: LogSettings;
  try {
    settings = readLogSettings(process.env);
  } catch (error) {
    writeText((error as Error).message);
    return 1;
  }
  const log = workerLog(settings, process.stderr.isTTY, writeText, write);
  return runWorker(process.env, process.cwd(), log);
}
