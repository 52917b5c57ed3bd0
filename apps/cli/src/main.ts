#!/usr/bin/env node
import { cairn } from "./cairn.ts";

const exitCode = await cairn(process.argv.slice(2));
// Modules of users may have left timers or sockets open.
process.exit(exitCode);
