/** Left out: URL.createObjectURL, revokeObjectURL, URL.parse (newer than the first Node 20). */
export const webList = `
JSON.parse(text: string, reviver: fn(key, value)) -> any   prelude
JSON.stringify(value: any, replacer: any, space: any) -> any   prelude

new URL(url: string, base?: string) -> url
URL.canParse(url: string, base?: string) -> boolean
URL.prototype.hash -> string   settable
URL.prototype.host -> string   settable
URL.prototype.hostname -> string   settable
URL.prototype.href -> string   settable
URL.prototype.origin -> string
URL.prototype.password -> string   settable
URL.prototype.pathname -> string   settable
URL.prototype.port -> string   settable
URL.prototype.protocol -> string   settable
URL.prototype.search -> string   settable
URL.prototype.searchParams -> params
URL.prototype.toJSON() -> string
URL.prototype.toString() -> string
URL.prototype.username -> string   settable

new URLSearchParams(init?: any) -> params   prelude
URLSearchParams.prototype.append(name: string, value: string)
URLSearchParams.prototype.delete(name: string, value?: string)
URLSearchParams.prototype.entries() -> iterator
URLSearchParams.prototype.forEach(callback: fn(value, name, params), thisArg?: any)   prelude
URLSearchParams.prototype.get(name: string) -> any
URLSearchParams.prototype.getAll(name: string) -> array
URLSearchParams.prototype.has(name: string, value?: string) -> boolean
URLSearchParams.prototype.keys() -> iterator
URLSearchParams.prototype.set(name: string, value: string)
URLSearchParams.prototype.size -> integer
URLSearchParams.prototype.sort()
URLSearchParams.prototype.toString() -> string
URLSearchParams.prototype.values() -> iterator
URLSearchParams Iterator.prototype.next() -> object

new TextEncoder() -> encoder
TextEncoder.prototype.encode(text?: string) -> bytes
TextEncoder.prototype.encodeInto(text: any, target: bytes) -> object
TextEncoder.prototype.encoding -> string
new TextDecoder(label?: string, options?: any) -> decoder
TextDecoder.prototype.decode(bytes?: any, options?: any) -> string
TextDecoder.prototype.encoding -> string
TextDecoder.prototype.fatal -> boolean
TextDecoder.prototype.ignoreBOM -> boolean

crypto.randomUUID(options?: any) -> string
`;
