import { type NativeErrorClass, type NativeErrorClasses, NotStorable } from "@cairnjs/ir";

export { NotStorable } from "@cairnjs/ir";

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

/** The workflow is needed as a program, and nothing has compiled the module that declares it. */
export class NotCompiled extends Error {
  static {
    nameOf(this, "NotCompiled");
  }
}

/** By the names that stored errors give them, so that a minified copy of this package writes the same ones. */
export const ENGINE_ERRORS: NativeErrorClasses = new Map<string, NativeErrorClass>([
  ["ActionTimeout", ActionTimeout],
  ["ActionCancelled", ActionCancelled],
  ["RunCancelled", RunCancelled],
  ["SignalTimeout", SignalTimeout],
  ["NoHandlerRegistered", NoHandlerRegistered],
  ["NotStorable", NotStorable],
  ["StepChanged", StepChanged],
]);

/** On the prototype, as built-in classes have it: no own property that would be stored. */
function nameOf(errorClass: { readonly prototype: Error }, name: string): void {
  Object.defineProperty(errorClass.prototype, "name", { value: name, configurable: true, writable: true });
}
