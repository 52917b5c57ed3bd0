import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["cairn-source"] },
  ssr: { resolve: { conditions: ["cairn-source"] } },
  test: {
    include: [
      "{packages,apps}/*/src/**/*.test.ts",
      "{packages,apps}/*/test/**/*.test.ts",
      "test/**/*.test.ts",
      "fuzz/**/*.test.ts",
      "conformance/*.test.ts",
      "e2e/hooks/*.test.ts",
    ],
    testTimeout: 60_000,
  },
});
