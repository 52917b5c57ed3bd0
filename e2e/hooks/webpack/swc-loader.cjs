const { transformSync } = require("@swc/core");

/** TypeScript to CommonJS, as older projects have it. */
module.exports = function load(source, map) {
  const result = transformSync(source, {
    filename: this.resourcePath,
    swcrc: false,
    sourceMaps: true,
    inputSourceMap: map === undefined || map === null ? undefined : JSON.stringify(map),
    module: { type: "commonjs" },
    jsc: { target: "es2022", parser: { syntax: "typescript" } },
  });
  this.callback(null, result.code, JSON.parse(result.map));
};
