import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import cairn from "cairnjs/plugin";
import webpack from "webpack";

const app = fileURLToPath(new URL("../app", import.meta.url));
const compiler = webpack({
  mode: "production",
  target: "node20",
  context: app,
  entry: "./src/main.ts",
  devtool: "source-map",
  // Minified bundles are the affair of the others: Terser takes half a minute for this one.
  optimization: { minimize: false },
  output: { path: `${dirname(app)}/webpack/dist`, filename: "main.cjs" },
  module: {
    rules: [
      {
        test: /\.ts$/,
        loader: fileURLToPath(new URL("swc-loader.cjs", import.meta.url)),
        type: "javascript/auto",
        resolve: { fullySpecified: false },
      },
    ],
  },
  resolve: {
    extensions: [".ts", ".js"],
    extensionAlias: { ".js": [".ts", ".js"] },
    alias: { "@lib": `${app}/src/lib` },
  },
  plugins: [cairn.webpack({ root: app })],
});

compiler.run((error, stats) => {
  if (error !== null || stats.hasErrors()) {
    console.error(error ?? stats.toString({ all: false, errors: true, warnings: true }));
    process.exitCode = 1;
  }
  compiler.close(() => {});
});
