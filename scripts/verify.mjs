// The longer checks: more hostile input, the conformance suite, other versions of Node and Postgres, the
// benches.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const vitest = "node_modules/vitest/vitest.mjs";
/** Of Debian: how each is seen to be there. */
const PACKAGES = {
  chromium: () => existsSync("/usr/bin/chromium"),
  "nats-server": () => existsSync("/usr/sbin/nats-server") || isProgram("nats-server"),
  pgbouncer: () => existsSync("/usr/sbin/pgbouncer") || isProgram("pgbouncer"),
  prometheus: () => isProgram("promtool"),
  "protobuf-compiler": () => isProgram("protoc"),
  "protobuf-compiler-grpc": () => isProgram("grpc_python_plugin", []),
  "python3-grpcio": hasGrpcOfPython,
};
/** What the later checks need is installed while the first ones run. */
const prepared = {
  packages: installPackages(),
  nodes: { 22: nodeOf("22"), 24: nodeOf("24") },
  runtimes: npmInstalled("cairn-runtimes-1", ".bin/deno", "bun@1.4.4", "deno@2.9.6"),
};
const checks = [
  [
    "40,000 mutations of programs and snapshots",
    run,
    process.execPath,
    [vitest, "run", "packages/vm/test/hostile.test.ts", "--testTimeout=600000"],
    { CAIRN_LONGER: "all", CAIRN_MUTATIONS: "20000" },
  ],
  [
    "4,000 tests of ECMAScript's conformance suite",
    run,
    process.execPath,
    ["conformance/dist/main.js", "--workers", "2", "--sample", "4000", "--seed", "2026"],
  ],
  ...["22", "24"].map((version) => [`tables and snapshots on Node ${version}`, onNode, version]),
  [
    "hooks: every bundler and test runner, Node 20, 22 and 24",
    onNodes,
    process.execPath,
    [vitest, "run", "e2e/hooks"],
    { CAIRN_HOOKS: "all" },
  ],
  ["the packed worker, installed alone", run, process.execPath, [vitest, "run", "e2e/worker"], { CAIRN_PACKED: "1" }],
  ["the client in Bun, Deno and a browser", inRuntimes],
  [
    "a worker in Python",
    withPackages,
    ["python3-grpcio", "protobuf-compiler", "protobuf-compiler-grpc"],
    process.execPath,
    [vitest, "run", "e2e/python"],
    { CAIRN_PYTHON: "1" },
  ],
  [
    "the page of REST in a browser",
    withPackages,
    ["chromium"],
    process.execPath,
    [vitest, "run", "e2e/rest/docs-page.test.ts"],
    { CAIRN_BROWSER: "1" },
  ],
  [
    "20,000 requests made of the OpenAPI document",
    run,
    process.execPath,
    [vitest, "run", "apps/control-plane/test/http/fuzz.test.ts", "--disable-console-intercept"],
    { CAIRN_FUZZ_REQUESTS: "20000" },
  ],
  [
    "processes, storms, floods",
    run,
    process.execPath,
    [vitest, "run", "--disable-console-intercept"],
    { CAIRN_LONGER: "1" },
  ],
  [
    "store on Postgres 13",
    run,
    process.execPath,
    [
      vitest,
      "run",
      ...[
        "audit",
        "claim",
        "list",
        "migrations",
        "partitions",
        "run-pages",
        "soft-delete",
        "sql-start",
        "start-runs",
      ].map((name) => `apps/control-plane/test/store/${name}`),
      "apps/control-plane/test/maintenance/rewriting.test.ts",
      "apps/control-plane/test/live/horizon.test.ts",
    ],
    { CAIRN_TEST_POSTGRES: "13" },
  ],
  [
    "processes and Postgres killed",
    run,
    process.execPath,
    [vitest, "run", "apps/control-plane/test/crash"],
    { CAIRN_CRASHES: "all" },
  ],
  [
    "engines behind pgbouncer",
    withPackages,
    ["pgbouncer"],
    process.execPath,
    [vitest, "run", "apps/control-plane/test/pgbouncer"],
    { CAIRN_PGBOUNCER: "1" },
  ],
  [
    "events to NATS",
    withPackages,
    ["nats-server"],
    process.execPath,
    [vitest, "run", "apps/control-plane/test/nats"],
    { CAIRN_NATS: "1" },
  ],
  ["alerts for Prometheus", withPackages, ["prometheus"], "promtool", ["check", "rules", "docs/grafana/alerts.yml"]],
  [
    "retention of 100,000 runs",
    run,
    process.execPath,
    [
      vitest,
      "run",
      "apps/control-plane/test/maintenance/million.test.ts",
      "--testTimeout=600000",
      "--disable-console-intercept",
    ],
    { CAIRN_RETAINED_RUNS: "100000" },
  ],
  ["speed", run, process.execPath, ["bench/run.mjs"]],
];

const failed = [];
for (const [name, check, ...args] of checks) {
  const before = performance.now();
  console.log(`\n# ${name}`);
  const ok = await check(...args);
  console.log(`# ${name}: ${ok ? "ok" : "FAILED"}, ${((performance.now() - before) / 1000).toFixed(0)} s`);
  if (!ok) failed.push(name);
}
console.log(`\n${checks.length - failed.length} passed, ${failed.length} failed`);
if (failed.length > 0) {
  console.log(`failed: ${failed.join("; ")}`);
  process.exit(1);
}

function run(command, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: "inherit", env: { ...process.env, ...env } });
    child.on("error", () => resolve(false));
    child.on("close", (code) => resolve(code === 0));
  });
}

/** In the background, without a word unless it fails. */
function install(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    const said = [];
    for (const output of [child.stdout, child.stderr]) output.on("data", (text) => said.push(text));
    child.on("error", (error) => said.push(Buffer.from(`${error.message}\n`)));
    child.on("close", (code) => {
      if (code !== 0) process.stderr.write(Buffer.concat(said));
      resolve(code === 0);
    });
  });
}

/** npm's packages that bring programs are kept beside other temporary files. */
async function npmInstalled(name, program, ...packages) {
  const folder = join(tmpdir(), name);
  const isThere = existsSync(join(folder, "node_modules", program));
  const args = ["install", "--prefix", folder, ...packages, "--no-audit", "--no-fund", "--silent"];
  return isThere || (await install("npm", [...args, "--foreground-scripts"])) ? folder : null;
}

async function nodeOf(version) {
  const folder = await npmInstalled(`cairn-node-${version}`, "node/bin/node", `node@${version}`);
  return folder === null ? null : join(folder, "node_modules/node/bin/node");
}

async function installPackages() {
  const missing = Object.keys(PACKAGES).filter((name) => !PACKAGES[name]());
  if (missing.length === 0) return;
  const args = ["install", "--yes", "--quiet", "--no-install-recommends", ...missing];
  if (!(await install("apt-get", args)) && (await install("apt-get", ["update", "--quiet"])))
    await install("apt-get", args);
}

async function withPackages(packages, ...check) {
  await prepared.packages;
  const missing = packages.filter((name) => !PACKAGES[name]());
  if (missing.length === 0) return run(...check);
  console.log(`not installed, and apt-get could not do it: install ${missing.join(", ")}, and run this again`);
  return false;
}

async function inRuntimes() {
  const folder = await prepared.runtimes;
  const check = [process.execPath, [vitest, "run", "e2e/client"], { CAIRN_RUNTIMES: folder }];
  return folder !== null && withPackages(["chromium"], ...check);
}

function isProgram(name, args = ["--version"]) {
  return spawnSync(name, args, { input: "" }).error === undefined;
}

/** That of Debian's Python, whichever other one comes first in the path. */
function hasGrpcOfPython() {
  return spawnSync("/usr/bin/python3", ["-c", "import grpc.aio, google.protobuf"]).status === 0;
}

async function onNode(version) {
  const node = await prepared.nodes[version];
  const folders = ["math", "date", "unicode", "regexp"].map((name) => `packages/vm/src/${name}`);
  return node !== null && run(node, [vitest, "run", ...folders, "packages/vm/test/snapshot.test.ts"]);
}

/** For tests that start the other versions themselves. */
async function onNodes(...check) {
  const nodes = await Promise.all(Object.values(prepared.nodes));
  return !nodes.includes(null) && run(...check);
}
