import { VBuffer, VBytes } from "../heap/data.ts";
import { VObject, type Value } from "../heap/value.ts";
import { type HostContext, throwError, unsupported } from "../machine/host.ts";
import { printed } from "./printed.ts";

/** The receiver of a method of typed arrays. V8 names the method in some messages only. */
export function bytesReceiver(context: HostContext, self: Value, path = ""): VBytes {
  if (self instanceof VBytes) return self;
  const message =
    path === ""
      ? "this is not a typed array."
      : `Method ${path} called on incompatible receiver ${printed(context, self)}`;
  return throwError(context, "TypeError", message);
}

/** For methods that write: the memory is the buffer's, so it has changed too. */
export function writableBytes(context: HostContext, self: Value): VBytes {
  const object = bytesReceiver(context, self);
  touchBytes(context, object);
  return object;
}

export function touchBytes(context: HostContext, object: VBytes): void {
  context.touch(object);
  context.touch(object.buffer);
}

/** V8's limit in Node 20; a run's memory ends long before. */
const BYTES_MAX = 4_294_967_296;

/** Zeroes. The memory is paid for before the host allocates it. */
export function newBytes(context: HostContext, length: number): VBytes {
  if (length > BYTES_MAX) throwError(context, "RangeError", `Invalid typed array length: ${length}`);
  context.charge(8 + length / 64, 200 + length);
  return bytesOf(context, new Uint8Array(length));
}

/** Takes over fresh data that has been paid for. */
export function bytesOf(context: HostContext, data: Uint8Array): VBytes {
  const buffer = new VBuffer(context.realm.objectPrototype, data);
  return new VBytes(context.realm.prototype("Uint8Array"), buffer, data);
}

/** Methods that make an array of the receiver's species ask its `constructor`: ours is always Uint8Array. */
export function requirePlainSpecies(object: VBytes): void {
  if (object.has("constructor")) unsupported("a Uint8Array with its own 'constructor'");
}

/** `Uint8Array.from` and `of` construct what they are called on. */
export function requireBytesConstructor(context: HostContext, self: Value): void {
  if (self === context.realm.builtin("Uint8Array")) return;
  if (self instanceof VObject && self.has("prototype")) unsupported("another constructor than Uint8Array here");
  throwError(context, "TypeError", `${printed(context, self)} is not a constructor`);
}
