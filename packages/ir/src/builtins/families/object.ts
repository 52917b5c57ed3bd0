/**
 * Left out: setPrototypeOf, __proto__, __defineGetter__ and its kin (prototypes and accessors are fixed),
 * getOwnPropertySymbols (no symbols), toLocaleString, Function.prototype.toString (a function's text).
 */
export const objectList = `
Object(value?: any) -> object | new   length=1
Object.assign(target: any, ...sources: any) -> object   length=2
Object.create(prototype: any, properties?: any) -> object   length=2
Object.defineProperties(object: any, properties: any) -> object
Object.defineProperty(object: any, key: key, descriptor: any) -> object
Object.entries(object: any) -> array
Object.freeze(object: any) -> any
Object.fromEntries(entries: iterable) -> object   prelude
Object.getOwnPropertyDescriptor(object: any, key: key) -> object
Object.getOwnPropertyDescriptors(object: any) -> object
Object.getOwnPropertyNames(object: any) -> array
Object.getPrototypeOf(object: any) -> any
Object.hasOwn(object: any, key: key) -> boolean
Object.is(a: any, b: any) -> boolean
Object.isExtensible(object: any) -> boolean
Object.isFrozen(object: any) -> boolean
Object.isSealed(object: any) -> boolean
Object.keys(object: any) -> array
Object.preventExtensions(object: any) -> any
Object.seal(object: any) -> any
Object.values(object: any) -> array
Object.prototype.hasOwnProperty(key: key) -> boolean
Object.prototype.isPrototypeOf(object: any) -> boolean
Object.prototype.propertyIsEnumerable(key: key) -> boolean
Object.prototype.toString() -> string
Object.prototype.valueOf() -> any

Function(...sources: any) -> any | new   length=1 call-refused new-refused
Function.prototype.length = integer
Function.prototype.name = string
Function.prototype.apply(thisArg: any, args: array) -> any   machine
Function.prototype.bind(thisArg: any, ...args: any) -> any
Function.prototype.call(thisArg: any, ...args: any) -> any   machine

undefined = undefined
structuredClone(value?: any, options?: any) -> any
`;
