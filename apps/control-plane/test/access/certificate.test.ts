import type { PeerCertificate } from "node:tls";
import { expect, it } from "vitest";
import { readCertificate } from "../../src/access/certificate.ts";

function read(subjectaltname: string | undefined, CN: unknown = "worker"): unknown {
  return readCertificate({ subject: { CN }, subjectaltname } as unknown as PeerCertificate, null);
}

it("a certificate is for all namespaces, or for the one that it names", () => {
  expect(read(undefined)).toEqual({ name: "the certificate worker", namespace: null });
  expect(read("DNS:a, IP Address:127.0.0.1, URI:https://a")).toMatchObject({ namespace: null });
  expect(read("DNS:a, URI:cairn:namespace:billing")).toMatchObject({ namespace: "billing" });
  expect(read(undefined, ["first", "second"])).toMatchObject({ name: "the certificate first" });
  expect(read(undefined, [])).toMatchObject({ name: "the certificate without a name" });
});

it("one that names none that could be, or several, is nobody's", () => {
  for (const names of [
    "URI:cairn:namespace:",
    "URI:cairn:namespace:a b",
    "URI:CAIRN:namespace:billing",
    "URI:cairn:Namespace:billing",
    "URI:cairn:billing",
    "URI: cairn:namespace:billing",
    "URI:cairn:namespace:a, URI:cairn:namespace:b",
    'URI:"cairn:namespace:a, b"',
  ]) {
    expect(() => read(names), names).toThrow("names a namespace that is none, or several");
  }
});

it("what stands in another name is not taken for a namespace", () => {
  expect(read('DNS:"a, URI:cairn:namespace:billing"')).toMatchObject({ namespace: null });
});
