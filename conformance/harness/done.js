/** The promise that an asynchronous test ends with, and the function it calls then. */
export function newDone() {
  const done = {};
  done.promise = new Promise((resolve, reject) => {
    done.$DONE = (error) => (error ? reject(error) : resolve());
  });
  return done;
}
