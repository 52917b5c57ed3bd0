/**
 * Left out: Error.captureStackTrace, prepareStackTrace and stackTraceLimit; a DOMException is only ever thrown by
 * built-ins; NotStorable, InvalidInput and InvalidOutput only by the engine. The classes under `cairn.` are the engine's own catchable errors.
 */
export const errorList = `
Error(message?: string, options?: any) -> error | new   length=1
Error.prototype.message = string
Error.prototype.name = string
Error.prototype.toString() -> string   prelude
AggregateError(errors: iterable, message?: string, options?: any) -> error | new   length=2 extends=Error
AggregateError.prototype.message = string
AggregateError.prototype.name = string
${["EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"]
  .map(
    (name) => `
${name}(message?: string, options?: any) -> error | new   length=1 extends=Error
${name}.prototype.message = string
${name}.prototype.name = string`,
  )
  .join("")}
new DOMException(message?: string, name?: any) -> error   new-refused
DOMException.prototype.code -> integer
DOMException.prototype.message -> string
DOMException.prototype.name -> string
new cairn.NotStorable(path: any, culprit: any) -> error   new-refused extends=Error
cairn.NotStorable.prototype.name = string
new cairn.InvalidInput(message: any, issues: any) -> error   new-refused extends=Error
cairn.InvalidInput.prototype.name = string
new cairn.InvalidOutput(message: any, issues: any) -> error   new-refused extends=Error
cairn.InvalidOutput.prototype.name = string
${["ActionCancelled", "ActionTimeout", "NoHandlerRegistered", "RunCancelled", "SignalTimeout", "StepChanged"]
  .map(
    (name) => `
cairn.${name}(message?: string, options?: any) -> error | new   length=1 extends=Error
cairn.${name}.prototype.name = string`,
  )
  .join("")}
`;
