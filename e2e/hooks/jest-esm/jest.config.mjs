export default {
  rootDir: "..",
  testMatch: ["<rootDir>/jest-esm/*.test.ts"],
  extensionsToTreatAsEsm: [".ts"],
  moduleNameMapper: { "^@lib/(.*)$": "<rootDir>/app/src/lib/$1", "^(\\.{1,2}/.*)\\.js$": "$1" },
  transform: { "\\.[cm]?tsx?$": "cairnjs/jest" },
};
