import type { ControlPlane, ServerTls } from "@cairnjs/control-plane";
import type { Log } from "../output/log.ts";
import { readTls } from "./control-plane-settings.ts";
import type { Environment } from "./known-settings.ts";

/** Whoever renews certificates does so days before they expire. */
const LOOK_EVERY_MS = 10_000;

/**
 * Takes certificates that have changed on disk. By what is in the files: links are exchanged beneath them, and a certificate is there before
 * its key.
 */
export function watchCertificates(
  plane: Pick<ControlPlane, "renewCertificates">,
  env: Environment,
  log: Log,
  everyMs: number = LOOK_EVERY_MS,
): { stop(): void } {
  let known = read(env);
  const timer = setInterval(() => {
    const now = read(env);
    if (now.text === known.text) return;
    known = now;
    try {
      if (now.tls === null) throw now.problem;
      plane.renewCertificates(now.tls);
      log.info("The certificates have changed: who connects from now on is shown the new ones");
    } catch (error) {
      log.warn("The certificates have changed, and those from before are still shown", error);
    }
  }, everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

interface Read {
  readonly tls: ServerTls | null;
  readonly problem: unknown;
  /** All of it, to compare. */
  readonly text: string;
}

function read(env: Environment): Read {
  try {
    const tls = readTls(env)!;
    return { tls, problem: null, text: [tls.certificate, tls.key, tls.clientAuthority ?? ""].join("\0") };
  } catch (error) {
    return { tls: null, problem: error, text: String(error) };
  }
}
