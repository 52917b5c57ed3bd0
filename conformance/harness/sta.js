export class Test262Error extends Error {
  name = "Test262Error";
}
