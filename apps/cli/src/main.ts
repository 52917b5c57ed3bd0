import { cairn } from "./cairn.ts";

/** As it is now: users' code runs with another one. */
const exit = process.exit.bind(process);

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // Whoever reads the output may have seen enough: `cairn compile … | head`.
  if (error.code === "EPIPE") exit(0);
  process.stderr.write(`cairn: the output cannot be written: ${error.message}\n`);
  exit(1);
});

const exitCode = await cairn(process.argv.slice(2));
// Modules of users may have left timers or sockets open.
exit(exitCode);
