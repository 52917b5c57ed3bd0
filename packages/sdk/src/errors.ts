import { fixedErrorClasses, type NativeErrorClass, type NativeErrorClasses, NotStorable } from "@cairnjs/ir/web";
import type { Issue } from "./issues.ts";

export { NotStorable } from "@cairnjs/ir/web";

/** The action took longer than its `timeout`. */
export class ActionTimeout extends Error {
  static {
    nameOf(this, "ActionTimeout");
  }
}

/** The action was cancelled by an operator. */
export class ActionCancelled extends Error {
  static {
    nameOf(this, "ActionCancelled");
  }
}

/** The run is being cancelled; every open durable promise rejects with this. */
export class RunCancelled extends Error {
  static {
    nameOf(this, "RunCancelled");
  }
}

/** No signal came before the `timeout` of `wait()`. */
export class SignalTimeout extends Error {
  static {
    nameOf(this, "SignalTimeout");
  }
}

/** No worker has this action. */
export class NoHandlerRegistered extends Error {
  static {
    nameOf(this, "NoHandlerRegistered");
  }
}

/** The arrow of a `step()` is missing from the code that is deployed now. */
export class StepChanged extends Error {
  static {
    nameOf(this, "StepChanged");
  }
}

/** What was given does not fit the schema of the input. Trying again would not help, and is not done. */
export class InvalidInput extends Error {
  readonly issues: readonly Issue[];

  constructor(message: string, issues: readonly Issue[]) {
    super(message);
    this.issues = issues;
  }

  static {
    nameOf(this, "InvalidInput");
  }
}

/** What a handler returned does not fit the schema of the output. Not tried again either. */
export class InvalidOutput extends Error {
  readonly issues: readonly Issue[];

  constructor(message: string, issues: readonly Issue[]) {
    super(message);
    this.issues = issues;
  }

  static {
    nameOf(this, "InvalidOutput");
  }
}

/** The workflow has no program: the hook that compiles it while its module is loaded or bundled is missing. */
export class NotCompiled extends Error {
  static {
    nameOf(this, "NotCompiled");
  }
}

/** What was given to `stream()` is too large, too much, or too late. Not tried again: the next attempt would stream it too. */
export class ChunkRefused extends Error {
  static {
    nameOf(this, "ChunkRefused");
  }
}

/** A secret that an action needs is not there. Not tried again: somebody has to set it first. */
export class SecretMissing extends Error {
  static {
    nameOf(this, "SecretMissing");
  }
}

/** The worker is neither on this machine nor connected by TLS, so it is given no secrets. Not tried again. */
export class SecretNotSent extends Error {
  static {
    nameOf(this, "SecretNotSent");
  }
}

/** By the names that stored errors give them, so that a minified copy of this package writes the same ones. */
export const ENGINE_ERRORS: NativeErrorClasses = fixedErrorClasses(
  new Map<string, NativeErrorClass>([
    ["ActionTimeout", ActionTimeout],
    ["ActionCancelled", ActionCancelled],
    ["RunCancelled", RunCancelled],
    ["SignalTimeout", SignalTimeout],
    ["NoHandlerRegistered", NoHandlerRegistered],
    ["NotStorable", NotStorable],
    ["StepChanged", StepChanged],
    ["InvalidInput", InvalidInput],
    ["InvalidOutput", InvalidOutput],
  ]),
);

/** On the prototype, as built-in classes have it: no own property that would be stored. */
function nameOf(errorClass: { readonly prototype: Error }, name: string): void {
  Object.defineProperty(errorClass.prototype, "name", { value: name, configurable: true, writable: true });
}
