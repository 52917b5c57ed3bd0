// In a project that uses typescript-eslint, `typescript` is of a version that it takes. Here it is of two: 7 at the root,
// which packages that npm puts there find, and 6 beside this file.
const Module = require("node:module");

const typescript = require.resolve("typescript");
const resolveFilename = Module["_resolveFilename"];
Module["_resolveFilename"] = function resolve(request, ...rest) {
  return request === "typescript" ? typescript : resolveFilename.call(this, request, ...rest);
};
