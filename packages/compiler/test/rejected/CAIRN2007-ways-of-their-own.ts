import assert, { strictEqual } from "node:assert";
import { AsyncLocalStorage } from "node:async_hooks";
import { Buffer as Bytes, btoa as encode } from "node:buffer";
import nodeCrypto, { randomBytes, randomUUID as uuid } from "node:crypto";
import { once } from "events";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import qs from "node:querystring";
import timers from "timers";
import { setTimeout as delay } from "node:timers/promises";
import { URL, fileURLToPath } from "node:url";
import * as util from "node:util";
import v8 from "node:v8";
import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  assert(input);
  strictEqual(input, 1);
  await delay(1000);
  timers.setImmediate(() => 1);
  await once(input, "done");
  return [
    uuid(),
    nodeCrypto.randomUUID(),
    randomBytes(4),
    Bytes.from("a"),
    encode("a"),
    new URL("https://example.com"),
    fileURLToPath("file:///x"),
    performance.now(),
    process.env.REGION,
    qs.parse("a=1"),
    join("a", "b"),
    util.inspect(input),
    new util.TextEncoder(),
    v8.serialize(input),
    new AsyncLocalStorage(),
  ];
});
