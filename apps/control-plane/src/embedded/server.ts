import { execFile, spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { wrongPassword, type Cluster } from "./cluster.ts";
import { servesFolder } from "./connection.ts";
import { EmbeddedPostgresFailed } from "./failures.ts";
import { isAlive, mayServe, postmasterFilePath, readPostmasterFile } from "./postmaster-file.ts";
import { serverEnvironment } from "./program.ts";
import { asUser, giveTo } from "./server-user.ts";

/** A server that takes connections. */
export interface Server {
  readonly pid: number;
  readonly port: number;
  /** It was running already. */
  readonly adopted: boolean;
}

/** After a crash Postgres repeats what its log says, which takes a while when much was written. */
const READY_LIMIT_MS = 300_000;
/** For the remains of a killed server, which hold its shared memory until their last statement has ended. */
const WAIT_LIMIT_MS = 60_000;
/** A server that starts fills its lock file at once; an empty one is what a power cut leaves, and Postgres stops at it. */
const EMPTY_LIMIT_MS = 1_000;
const POLL_MS = 10;
const LOG_BYTES_MAX = 8 * 1024 * 1024;

/** The running server of the cluster, or a new one: on `port` if one is given, else on any that is free. */
export async function reachServer(cluster: Cluster, port?: number): Promise<Server> {
  const began = Date.now();
  for (;;) {
    const found = readPostmasterFile(cluster.data);
    if (found !== undefined && isAlive(found.pid)) {
      // Before it is ready, each attempt would cost it a process, while it has better things to do.
      const serves = found.ready && (await servesFolder(cluster, found.port));
      if (serves === true) return { pid: found.pid, port: found.port, adopted: true };
      if (mayServe(found.pid, cluster.data)) {
        if (serves === "refused") throw wrongPassword(cluster);
        if (Date.now() > began + READY_LIMIT_MS) throw silent(cluster, found.pid);
        await delay(POLL_MS);
        continue;
      }
      // Postgres itself takes over from a dead process, but not from a live one that merely got its number.
      if (readPostmasterFile(cluster.data)?.text === found.text)
        rmSync(postmasterFilePath(cluster.data), { force: true });
    }
    const outcome = await startServer(cluster, port ?? (await freePort()));
    if ("server" in outcome) return outcome.server;
    if (!outcome.passing || Date.now() > began + WAIT_LIMIT_MS) throw doesNotStart(cluster, outcome.reason);
    if (Date.now() > began + EMPTY_LIMIT_MS) removeEmptyFile(cluster.data);
    await delay(10 * POLL_MS);
  }
}

function removeEmptyFile(data: string): void {
  const file = postmasterFilePath(data);
  if (statSync(file, { throwIfNoEntry: false })?.size === 0) rmSync(file, { force: true });
}

/** Sessions are ended and everything is written; returns when the server is gone. */
export async function stopServer({ program, data, home }: Cluster): Promise<void> {
  const running = readPostmasterFile(data);
  const isGone = (): boolean => running === undefined || !mayServe(running.pid, data);
  const args = ["stop", "-D", data, "--mode=fast", "--silent", `--timeout=${WAIT_LIMIT_MS / 1000}`];
  try {
    await promisify(execFile)(join(program.bin, "pg_ctl"), args, {
      ...asUser(home.user),
      cwd: home.path,
      env: serverEnvironment(),
    });
  } catch (error) {
    // Gone already: that is what was wanted.
    if (!isGone()) throw error;
  }
  // `pg_ctl` waits for the lock file to go, which is the last thing but one that a server does.
  while (!isGone()) await delay(POLL_MS);
}

type Outcome = { readonly server: Server } | { readonly reason: string; readonly passing: boolean };

async function startServer(cluster: Cluster, port: number): Promise<Outcome> {
  const log = openLog(cluster);
  let child: ChildProcess;
  try {
    child = spawn(join(cluster.program.bin, "postgres"), ["-D", cluster.data, ...settingsOf(cluster, port)], {
      ...asUser(cluster.home.user),
      cwd: cluster.home.path,
      env: serverEnvironment(),
      // A session of its own: neither Ctrl-C nor the end of this process reaches it.
      detached: true,
      windowsHide: true,
      stdio: ["ignore", log.descriptor, log.descriptor],
    });
  } finally {
    closeSync(log.descriptor);
  }
  child.unref();
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(`it ended with ${signal ?? `exit code ${code}`}`));
  });
  const deadline = Date.now() + READY_LIMIT_MS;
  for (;;) {
    const file = readPostmasterFile(cluster.data);
    if (file?.pid === child.pid && file?.ready === true) {
      return { server: { pid: file.pid, port: file.port, adopted: false } };
    }
    if (Date.now() > deadline) throw silent(cluster, child.pid ?? 0);
    const failure = await Promise.race([ended, delay(POLL_MS)]);
    if (failure !== undefined) return whyEnded(linesOf(log, child.pid), failure);
  }
}

/** On the command line, so that nothing in `postgresql.conf` takes durability away or opens the server to others. */
function settingsOf(cluster: Cluster, port: number): string[] {
  const settings = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    fsync: "on",
    synchronous_commit: "on",
    full_page_writes: "on",
    logging_collector: "off",
    log_destination: "stderr",
    log_line_prefix: "%m [%p] ",
    lc_messages: "C",
    timezone: "UTC",
    ...cluster.settings,
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

interface Log {
  readonly path: string;
  readonly descriptor: number;
  readonly offset: number;
}

function openLog({ home }: Cluster): Log {
  const path = join(home.path, "server.log");
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_BYTES_MAX) renameSync(path, `${path}.1`);
  const descriptor = openSync(path, "a", 0o600);
  giveTo(home.user, path);
  return { path, descriptor, offset: size > LOG_BYTES_MAX ? 0 : size };
}

/** What this server said: another that is started at the same time writes to the same log. */
function linesOf(log: Log, pid: number | undefined): string[] {
  const lines = readFileSync(log.path).subarray(log.offset).toString().split("\n");
  return lines.filter((line) => line.includes(`[${pid}]`) || !/\[\d+\]/.test(line));
}

function whyEnded(lines: readonly string[], failure: string): Outcome {
  const fatal = lines.findLast((line) => /\b(FATAL|PANIC): /.test(line)) ?? lines.findLast((line) => line !== "");
  const passing = lines.some((line) =>
    /lock file ".*" (already exists|is empty)|is still in use|could not bind|could not create any TCP\/IP sockets/.test(
      line,
    ),
  );
  return { passing, reason: fatal?.replace(/^.*\b(FATAL|PANIC): +/, "") ?? failure };
}

function doesNotStart({ home, data }: Cluster, reason: string): EmbeddedPostgresFailed {
  return new EmbeddedPostgresFailed(
    "DOES_NOT_START",
    `Postgres does not start on ${data} (${reason}): see ${join(home.path, "server.log")}; if the folder is damaged, restore ` +
      "it from a backup or delete it to begin anew.",
  );
}

function silent({ home, data }: Cluster, pid: number): EmbeddedPostgresFailed {
  return new EmbeddedPostgresFailed(
    "DOES_NOT_START",
    `The Postgres of ${data} (pid ${pid}) runs but does not answer: see ${join(home.path, "server.log")}, end that process ` +
      "and start again.",
  );
}

/** Another process may take it before Postgres does: then the next one is tried. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
