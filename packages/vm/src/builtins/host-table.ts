import type { Value } from "../heap/value.ts";
import type { HostContext, HostFunction } from "../machine/host.ts";

/**
 * The built-ins of one family that the host carries out, by path. `construct` receives `new.target` in place of
 * `this`; `get` and `set` belong to accessors of prototypes; `value` to constants.
 */
export type HostTable = Readonly<Record<string, HostEntry>>;

export interface HostEntry {
  readonly call?: HostFunction;
  readonly construct?: HostFunction;
  readonly get?: HostFunction;
  readonly set?: HostFunction;
  readonly value?: Value;
}

/** What the prelude reaches as `$.name(...)`, by name. Never calls program code. */
export type OperationTable = Readonly<Record<string, Operation>>;

export type Operation = (context: HostContext, args: readonly Value[]) => Value;
