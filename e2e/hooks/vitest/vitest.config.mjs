import { fileURLToPath } from "node:url";
import cairn from "cairnjs/plugin";
import { defineConfig } from "vitest/config";

const app = fileURLToPath(new URL("../app", import.meta.url));
export default defineConfig({
  plugins: [cairn.vite({ root: app })],
  resolve: { tsconfigPaths: true },
  test: { include: ["*.test.ts"] },
});
