import { NotStorable } from "@cairnjs/ir";
import type { HostTable } from "../builtins/host-table.ts";
import { VArray, type Value } from "../heap/value.ts";
import { encodeVm } from "../values/index.ts";
import { shown } from "./machine-builtins.ts";
import type { Machine } from "./machine.ts";

const CONSOLE_LEVELS: Readonly<Record<string, string>> = {
  debug: "debug",
  dir: "info",
  error: "error",
  group: "info",
  groupCollapsed: "info",
  info: "info",
  log: "info",
  table: "info",
  trace: "debug",
  warn: "warn",
};

/** `console.*`: a log event of the run. */
export const consoleBuiltins: HostTable = consoleTable();

function consoleTable(): HostTable {
  const table: Record<string, HostTable[string]> = {
    "console.assert": {
      call: (context, _, [condition, ...rest]) => {
        if (!condition) log(context as Machine, "error", ["Assertion failed", ...rest]);
        return undefined;
      },
    },
    "console.groupEnd": { call: () => undefined },
  };
  for (const [method, level] of Object.entries(CONSOLE_LEVELS)) {
    table[`console.${method}`] = {
      call: (context, _, args) => {
        log(context as Machine, level, args);
        return undefined;
      },
    };
  }
  return table;
}

/** What cannot be stored is logged as V8 would name it. */
function log(machine: Machine, level: string, args: readonly Value[]): void {
  const items = args.map((value) => {
    try {
      encodeVm(machine, value, "value");
      return value;
    } catch (error) {
      if (error instanceof NotStorable) return shown(value);
      throw error;
    }
  });
  const encoded = encodeVm(machine, new VArray(machine.realm.arrayPrototype, items), "arguments");
  machine.charge(20, 100);
  machine.effects.push({ kind: "log", id: machine.nextId(), level, args: encoded });
}
