import { readFileSync } from "node:fs";
import { ServerCredentials } from "@grpc/grpc-js";
import { action } from "cairnjs";
import { describe, expect, it } from "vitest";
import { dispatchOf } from "./support/fake-control-plane.ts";
import { fakeControlPlane, testWorker } from "./support/test-worker.ts";
import { until } from "./support/until.ts";

action("default.echo", async (value: unknown) => value);

const pem = (name: string): Buffer => readFileSync(new URL(`./fixtures/tls/${name}`, import.meta.url));
const authority = pem("ca.pem");
const own = { certificate: pem("worker.pem"), key: pem("worker.key") };

describe("a control plane behind TLS that wants certificates", () => {
  const secured = () =>
    fakeControlPlane({
      credentials: ServerCredentials.createSsl(
        authority,
        [{ cert_chain: pem("server.pem"), private_key: pem("server.key") }],
        true,
      ),
    });

  it("is spoken with by a worker that has one", async () => {
    const fake = await secured();
    testWorker(`https://127.0.0.1:${fake.port}`, { certificates: { authority, own } });
    const stream = await fake.stream();
    stream.send({ dispatches: [dispatchOf("default.echo", ["secret"])] });
    await until(() => stream.outcomes.length === 1);
  });

  it.each([
    ["has none", { authority, own: null }],
    ["does not know the authority", { authority: null, own }],
  ])("is not spoken with by one that %s, which says so and tries again", async (_, certificates) => {
    const fake = await secured();
    const worker = testWorker(`https://127.0.0.1:${fake.port}`, { certificates });
    await until(() => worker.lines.some((line) => line.includes("No stream to https://127.0.0.1")));
    expect(fake.streams).toEqual([]);
  });
});
