module.exports = {
  rootDir: "..",
  testMatch: ["<rootDir>/jest-cjs/*.test.ts"],
  moduleNameMapper: { "^@lib/(.*)$": "<rootDir>/app/src/lib/$1", "^(\\.{1,2}/.*)\\.js$": "$1" },
  transform: { "\\.[cm]?[jt]sx?$": ["cairnjs/jest", { then: "@swc/jest" }] },
  // Cairn's packages are ES modules: they are converted too.
  transformIgnorePatterns: ["/node_modules/(?!(cairnjs|@cairnjs)/)"],
};
