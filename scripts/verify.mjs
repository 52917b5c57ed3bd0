// The longer checks: more hostile input, the conformance suite, other versions of Node and Postgres, the
// benches.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const vitest = "node_modules/vitest/vitest.mjs";
const checks = [
  [
    "40,000 mutations of programs and snapshots",
    run,
    process.execPath,
    [vitest, "run", "packages/vm/test/hostile.test.ts", "--testTimeout=600000"],
    { CAIRN_MUTATIONS: "20000" },
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
    () => hasGrpcOfPython() && isProgram("protoc") && isProgram("grpc_python_plugin", []),
    process.execPath,
    [vitest, "run", "e2e/python"],
    { CAIRN_PYTHON: "1" },
  ],
  [
    "the page of REST in a browser",
    withPackages,
    ["chromium"],
    () => existsSync("/usr/bin/chromium") || existsSync("/usr/bin/chromium-browser"),
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
    "processes, outages, storms, 100,000 events",
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
      "apps/control-plane/test/store",
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
    () => existsSync("/usr/sbin/pgbouncer") || isProgram("pgbouncer"),
    process.execPath,
    [vitest, "run", "apps/control-plane/test/pgbouncer"],
    { CAIRN_PGBOUNCER: "1" },
  ],
  [
    "events to NATS",
    withPackages,
    ["nats-server"],
    () => existsSync("/usr/sbin/nats-server") || isProgram("nats-server"),
    process.execPath,
    [vitest, "run", "apps/control-plane/test/nats"],
    { CAIRN_NATS: "1" },
  ],
  [
    "alerts for Prometheus",
    withPackages,
    ["prometheus"],
    () => isProgram("promtool"),
    "promtool",
    ["check", "rules", "docs/grafana/alerts.yml"],
  ],
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
  const ok = check(...args);
  console.log(`# ${name}: ${ok ? "ok" : "FAILED"}, ${((performance.now() - before) / 1000).toFixed(0)} s`);
  if (!ok) failed.push(name);
}
console.log(`\n${checks.length - failed.length} passed, ${failed.length} failed`);
if (failed.length > 0) {
  console.log(`failed: ${failed.join("; ")}`);
  process.exit(1);
}

function run(command, args, env = {}) {
  return spawnSync(command, args, { stdio: "inherit", env: { ...process.env, ...env } }).status === 0;
}

/** npm's package `node` brings the other versions; they are kept beside other temporary files. */
function nodeOf(version) {
  const folder = join(tmpdir(), `cairn-node-${version}`);
  const node = join(folder, "node_modules/node/bin/node");
  if (existsSync(node)) return node;
  const install = [
    "install",
    "--prefix",
    folder,
    `node@${version}`,
    "--no-audit",
    "--no-fund",
    "--silent",
    "--foreground-scripts",
  ];
  return run("npm", install) ? node : null;
}

/** npm's packages `bun` and `deno`, kept like those of Node.js; Debian's browser. */
function inRuntimes() {
  const folder = join(tmpdir(), "cairn-runtimes-1");
  const packages = ["bun@1.4.4", "deno@2.9.6"];
  const install = ["install", "--prefix", folder, ...packages, "--no-audit", "--no-fund", "--silent"];
  const isThere = existsSync(join(folder, "node_modules/.bin/deno"));
  if (!isThere && !run("npm", [...install, "--foreground-scripts"])) return false;
  const check = [process.execPath, [vitest, "run", "e2e/client"], { CAIRN_RUNTIMES: folder }];
  return withPackages(["chromium"], () => existsSync("/usr/bin/chromium"), ...check);
}

/** Debian's packages, installed if they are not there. */
function withPackages(packages, areThere, ...check) {
  const install = () => run("apt-get", ["install", "--yes", "--quiet", "--no-install-recommends", ...packages]);
  if (!areThere() && !install() && run("apt-get", ["update", "--quiet"])) install();
  if (areThere()) return run(...check);
  console.log(`not installed, and apt-get could not do it: install ${packages.join(", ")}, and run this again`);
  return false;
}

function isProgram(name, args = ["--version"]) {
  return spawnSync(name, args, { input: "" }).error === undefined;
}

/** That of Debian's Python, whichever other one comes first in the path. */
function hasGrpcOfPython() {
  return spawnSync("/usr/bin/python3", ["-c", "import grpc.aio, google.protobuf"]).status === 0;
}

function onNode(version) {
  const node = nodeOf(version);
  const folders = ["math", "date", "unicode", "regexp"].map((name) => `packages/vm/src/${name}`);
  return node !== null && run(node, [vitest, "run", ...folders, "packages/vm/test/snapshot.test.ts"]);
}

/** For tests that start the other versions themselves. */
function onNodes(...check) {
  return nodeOf("22") !== null && nodeOf("24") !== null && run(...check);
}
