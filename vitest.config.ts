import { availableParallelism } from "node:os";
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import cairn from "./packages/sdk/src/plugin/index.ts";

const TOGETHER = ["packages/{ir,vm,compiler,schemas,protocol}/{src,test}/**/*.test.ts"];

const ENGINE = ["apps/control-plane/{src,test}/**/*.test.ts"];

/** Of the engine, but with declarations, modules or an SDK for traces of their own, which would concern every engine opened after them. */
const DECLARING = [
  "apps/control-plane/test/jobs/{names,routing,starting}.test.ts",
  "apps/control-plane/test/blobs/file-durability.test.ts",
  "apps/control-plane/test/tracing/*.test.ts",
];

const ALL = [
  "{packages,apps}/*/src/**/*.test.ts",
  "{packages,apps}/*/test/**/*.test.ts",
  "test/**/*.test.ts",
  "fuzz/**/*.test.ts",
  "conformance/*.test.ts",
  "examples/*.test.ts",
  "e2e/testing/**/*.test.ts",
  "e2e/hooks/*.test.ts",
  "e2e/linting/*.test.ts",
  "e2e/worker/*.test.ts",
  "e2e/client/*.test.ts",
  "e2e/python/*.test.ts",
  "e2e/fleet/*.test.ts",
  "e2e/rest/*.test.ts",
];

/** With processes, or with more runs and memory than others: `npm run verify` runs them, and in that run nothing else. */
const LONGER = [
  "apps/control-plane/test/{grpc,live}/storm.test.ts",
  "apps/control-plane/test/embedded/program.test.ts",
  "apps/control-plane/test/grpc/floods.test.ts",
  "apps/control-plane/test/http/{abuse-load,large-batches,slow-transfers}.test.ts",
  "apps/control-plane/test/live/{idle,slow,socket-floods}.test.ts",
  "apps/control-plane/test/runloop/{calls-outlive-owners,commits,forking,ownership,statuses}.test.ts",
  "apps/control-plane/test/tracing/killed.test.ts",
  "apps/control-plane/test/client/{client,waiting}.test.ts",
  "apps/control-plane/test/grpc/{keys,refusals,streaming,work}.test.ts",
  "apps/control-plane/test/http/{audit-refusals,guard,keys,resources}.test.ts",
  "apps/control-plane/test/live/{beginnings,everyone.property,order.property}.test.ts",
  "apps/control-plane/test/outbox/two-dispatchers.test.ts",
];

/** The same, with a process of their own. */
const LONGER_APART = [
  "apps/cli/test/operators/{audit,keys,orders,retention,runs,watching}.test.ts",
  "apps/cli/test/processes/{mistakes,sessions}.test.ts",
  "packages/worker/test/{logs,secrets}.test.ts",
];

/** All of these took twenty minutes: `npm run longest` runs them too. */
const LONGEST = [
  "apps/cli/test/{check,try}.test.ts",
  "apps/cli/test/operators/{database,many,schedules-and-events}.test.ts",
  "apps/cli/test/processes/{dev-ends,dev-reload,secrets,start}.test.ts",
  "apps/control-plane/test/embedded/{embedded-postgres,users}.test.ts",
  "apps/control-plane/test/engine/large-values.test.ts",
  "apps/control-plane/test/grpc/{broken,limits,unserved}.test.ts",
  "apps/control-plane/test/jobs/{lives,two-processes}.test.ts",
  "apps/control-plane/test/keeper/keeper.test.ts",
  "apps/control-plane/test/library/{outage,run-stream,starts-as-one}.test.ts",
  "apps/control-plane/test/limits/granting.test.ts",
  "apps/control-plane/test/maintenance/{archive,removal}.test.ts",
  "apps/control-plane/test/outbox/{delivering,hostile-sinks,storm}.test.ts",
  "apps/control-plane/test/runloop/{closing,fairness,going-back,going-back-races,large-values,limits,memory,restoring}.test.ts",
  "apps/control-plane/test/scheduler/schedules.test.ts",
  "apps/control-plane/test/store/sql-clients.test.ts",
  "apps/control-plane/test/threads/{out-of-memory,threads}.test.ts",
  "apps/control-plane/test/types/start.test.ts",
  "conformance/sample.test.ts",
  "e2e/testing/runners.test.ts",
  "packages/compiler/test/{hostile,large}.test.ts",
  "packages/ir/src/values/round-trip.test.ts",
  "packages/sdk/test/library-schema.test.ts",
  "packages/vm/test/builtins/every-builtin.test.ts",
  "packages/vm/test/hostile.test.ts",
  "packages/worker/test/{command,threads}.test.ts",
];

/** Of these `npm test` runs a part, and `npm run longest` all. */
const IN_PART = ["fuzz/differential.test.ts"];

const longest = process.env["CAIRN_LONGER"] === "all";
const longer = process.env["CAIRN_LONGER"] === "1" || longest;

/** They need a program that `npm run verify` installs, install packages themselves, or take long. */
const EXCLUDED = [
  ...configDefaults.exclude,
  ...(process.env["CAIRN_PGBOUNCER"] === "1" ? [] : ["apps/control-plane/test/pgbouncer/**"]),
  ...(process.env["CAIRN_NATS"] === "1" ? [] : ["apps/control-plane/test/nats/**"]),
  ...(process.env["CAIRN_HOOKS"] === "all" ? [] : ["e2e/hooks/hooks.test.ts"]),
  ...(process.env["CAIRN_PACKED"] === "1" ? [] : ["e2e/worker/**"]),
  ...(process.env["CAIRN_RUNTIMES"] === undefined ? ["e2e/client/runtimes.test.ts"] : []),
  ...(process.env["CAIRN_PYTHON"] === "1" ? [] : ["e2e/python/**"]),
  ...(process.env["CAIRN_BROWSER"] === "1" ? [] : ["e2e/rest/docs-page.test.ts"]),
  ...(process.env["CAIRN_FLEET"] === "1" ? [] : ["e2e/fleet/**"]),
  ...(process.env["CAIRN_CRASHES"] === "all" ? [] : ["apps/control-plane/test/crash/**"]),
  ...(process.env["CAIRN_RETAINED_RUNS"] === undefined ? ["apps/control-plane/test/maintenance/million.test.ts"] : []),
  ...(longer ? [] : [...LONGER, ...LONGER_APART]),
  ...(longest ? [] : LONGEST),
  ...(process.env["CAIRN_YEAR"] === "1" ? [] : ["apps/control-plane/test/scheduler/killed-year.test.ts"]),
];

const setupFiles = ["apps/control-plane/test/support/setup.ts"];

function project(
  name: string,
  include: string[],
  options: TestProjectInlineConfiguration["test"],
): TestProjectInlineConfiguration {
  return { extends: true, test: { name, include, exclude: EXCLUDED, ...options } };
}

export default defineConfig({
  // Elsewhere, tests compile what they need themselves, or must not be compiled.
  plugins: [
    cairn.vite({
      include: /\/(examples|packages\/sdk\/test\/workflows|apps\/control-plane\/test\/workflows|e2e\/testing)\/.*\.ts$/,
    }),
  ],
  resolve: { conditions: ["cairn-source"] },
  ssr: { resolve: { conditions: ["cairn-source"] } },
  test: {
    projects: longer
      ? [
          project("longer", LONGER, { isolate: false, setupFiles }),
          project("longer apart", [...LONGER_APART, ...(longest ? [...LONGEST, ...IN_PART] : [])], { setupFiles }),
        ]
      : [
          // Nothing that a file leaves behind in its modules concerns another: these are loaded once a worker, not once a file.
          project("together", TOGETHER, { isolate: false }),
          project("engine", ENGINE, { isolate: false, setupFiles, exclude: [...EXCLUDED, ...DECLARING] }),
          project("declaring", DECLARING, { setupFiles }),
          project("apart", ALL, { exclude: [...EXCLUDED, ...TOGETHER, ...ENGINE] }),
        ],
    exclude: EXCLUDED,
    globalSetup: ["apps/control-plane/test/support/global-setup.ts"],
    // Tests of the engine wait for Postgres most of the time.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 60_000,
  },
});
