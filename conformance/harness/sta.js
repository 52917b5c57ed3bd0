export class Test262Error extends Error {
  name = "Test262Error";
}

export function $ERROR(message) {
  throw new Test262Error(message);
}

export function $DONOTEVALUATE() {
  throw new Test262Error("This must not be evaluated");
}

/** The promise that an asynchronous test ends with, and the function it calls then. */
export function newDone() {
  const done = {};
  done.promise = new Promise((resolve, reject) => {
    done.$DONE = (error) => (error ? reject(error) : resolve());
  });
  return done;
}
