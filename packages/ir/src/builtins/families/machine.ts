/** What the interpreter itself carries out: promises, logging, and the durable primitives that are not calls of actions. */
export const machineList = `
new Promise(executor: fn(resolve, reject)) -> promise   machine
Promise.all(values: iterable) -> promise   machine
Promise.allSettled(values: iterable) -> promise   machine
Promise.any(values: iterable) -> promise   machine
Promise.race(values: iterable) -> promise   machine
Promise.reject(reason: any) -> promise   machine
Promise.resolve(value: any) -> promise   machine
Promise.prototype.catch(onRejected: fn(reason)) -> promise   machine
Promise.prototype.finally(onFinally: fn()) -> promise   machine
Promise.prototype.then(onFulfilled: fn(value), onRejected: fn(reason)) -> promise   machine

console.assert(condition?: any, ...data: any)   machine
console.debug(...data: any)   machine
console.dir(value?: any, options?: any)   machine
console.error(...data: any)   machine
console.group(...data: any)   machine
console.groupCollapsed(...data: any)   machine
console.groupEnd()   machine
console.info(...data: any)   machine
console.log(...data: any)   machine
console.table(data?: any, columns?: any)   machine
console.trace(...data: any)   machine
console.warn(...data: any)   machine

cairn.emit(type: string, data: any)   machine
cairn.progress(value: any)   machine
cairn.runInfo() -> object   machine
cairn.Durable.prototype.start(input?: any, options?: any) -> promise   machine
cairn.Durable.prototype.with(options: any) -> any   machine
cairn.Signal.prototype.wait(options?: any) -> promise   machine
cairn.mapLimit(items: iterable, limit: any, fn: fn(item, index)) -> promise   prelude
`;
