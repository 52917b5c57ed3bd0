#!/usr/bin/env node
import { cairn } from "./cairn.ts";

// Whoever reads the output may have seen enough: `cairn compile … | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

const exitCode = await cairn(process.argv.slice(2));
// Modules of users may have left timers or sockets open.
process.exit(exitCode);
