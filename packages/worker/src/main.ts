import { runWorker } from "./command.ts";

process.exit(await runWorker(process.env, process.cwd(), (line) => process.stderr.write(`cairn-worker: ${line}\n`)));
