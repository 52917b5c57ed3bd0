export default {
  testMatch: ["**/*.test.mjs"],
  transform: { "\\.[cm]?[jt]sx?$": "cairnjs/jest" },
  testEnvironment: "node",
  // The hardest case: timers are fake before any module is loaded.
  fakeTimers: { enableGlobally: true, now: 0 },
};
