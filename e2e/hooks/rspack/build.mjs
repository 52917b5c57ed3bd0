import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { rspack } from "@rspack/core";
import cairn from "cairnjs/plugin";

const app = fileURLToPath(new URL("../app", import.meta.url));
const compiler = rspack({
  mode: "production",
  target: "node20",
  context: app,
  entry: "./src/main.ts",
  devtool: "source-map",
  output: { path: `${dirname(app)}/rspack/dist`, filename: "main.mjs", module: true },
  module: {
    rules: [
      {
        test: /\.ts$/,
        loader: "builtin:swc-loader",
        options: { jsc: { target: "es2022", parser: { syntax: "typescript" } } },
        type: "javascript/auto",
        resolve: { fullySpecified: false },
      },
    ],
  },
  resolve: {
    extensions: [".ts", ".js"],
    extensionAlias: { ".js": [".ts", ".js"] },
    tsConfig: `${app}/tsconfig.json`,
  },
  plugins: [cairn.rspack({ root: app })],
});

compiler.run((error, stats) => {
  if (error !== null || stats.hasErrors()) {
    console.error(error ?? stats.toString({ all: false, errors: true, warnings: true }));
    process.exitCode = 1;
  }
  compiler.close(() => {});
});
