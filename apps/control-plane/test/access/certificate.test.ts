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
  expect(read("DNS:cairn.example, URI:https://cairn:9000, email:cairn@example.com")).toMatchObject({ namespace: null });
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

it("one that names it elsewhere than in a URI is nobody's: it was meant for one, and would be for all", () => {
  for (const names of [
    "DNS:cairn:namespace:billing",
    "DNS:worker, DNS:CAIRN:namespace:billing",
    "email:cairn:namespace:billing",
    "othername:UPN:cairn:namespace:billing",
    "URI:https://example.com/cairn:namespace:billing",
    'DNS:"a\\u002c URI:cairn:namespace:billing"',
    'DirName:"O=x\\u002cCN=cairn:namespace:billing"',
    "DNS:cairn:namespace:billing, URI:cairn:namespace:billing",
  ]) {
    expect(() => read(names), names).toThrow("names a namespace that is none, or several");
  }
  expect(() => read(undefined, "cairn:namespace:billing")).toThrow("names a namespace that is none, or several");
  expect(() => read("URI:cairn:namespace:billing", ["worker", "cairn:namespace:media"])).toThrow("or several");
});
