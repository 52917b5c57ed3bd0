import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerTls } from "@cairnjs/control-plane";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { watchCertificates } from "./certificate-watch.ts";

const folder = mkdtempSync(join(tmpdir(), "cairn-certificates-"));
const env = { CAIRN_TLS_CERT: join(folder, "cert"), CAIRN_TLS_KEY: join(folder, "key") };
const write = (certificate: string, key: string): void => {
  writeFileSync(env.CAIRN_TLS_CERT, certificate);
  writeFileSync(env.CAIRN_TLS_KEY, key);
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

it("takes certificates that have changed, once, and warns of those that cannot be used", () => {
  write("a", "a");
  const shown: string[] = [];
  const said: string[] = [];
  const log = {
    info: () => void said.push("info"),
    warn: (_: string, error?: unknown) => void said.push(String(error)),
  };
  const renewCertificates = ({ certificate, key }: ServerTls): void => {
    if (certificate.toString() !== key.toString()) throw new Error("does not fit");
    shown.push(certificate.toString());
  };
  const watching = watchCertificates({ renewCertificates }, env, log, 10);
  const pass = (): void => void vi.advanceTimersByTime(50);
  pass();
  expect([shown, said]).toEqual([[], []]);
  write("b", "a");
  pass();
  expect([shown, said]).toEqual([[], ["Error: does not fit"]]);
  write("b", "b");
  pass();
  expect([shown, said.at(-1)]).toEqual([["b"], "info"]);
  rmSync(env.CAIRN_TLS_KEY);
  pass();
  expect(said).toHaveLength(3);
  expect(said.at(-1)).toContain("CAIRN_TLS_KEY is the path of a file");
  watching.stop();
  write("c", "c");
  pass();
  expect(shown).toEqual(["b"]);
});
