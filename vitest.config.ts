import { defineConfig } from "vitest/config";
import { compilePlugin } from "./packages/sdk/test/compile-plugin.ts";

export default defineConfig({
  plugins: [compilePlugin((path) => /\/(examples|packages\/sdk\/test\/workflows|e2e\/testing)\/[^?]*\.ts$/.test(path))],
  resolve: { conditions: ["cairn-source"] },
  ssr: { resolve: { conditions: ["cairn-source"] } },
  test: {
    include: [
      "{packages,apps}/*/src/**/*.test.ts",
      "{packages,apps}/*/test/**/*.test.ts",
      "test/**/*.test.ts",
      "fuzz/**/*.test.ts",
      "conformance/*.test.ts",
      "examples/*.test.ts",
      "e2e/testing/**/*.test.ts",
      "e2e/hooks/*.test.ts",
    ],
    testTimeout: 60_000,
  },
});
