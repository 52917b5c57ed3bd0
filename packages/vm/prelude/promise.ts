/** What promises do that calls back at once. Reactions themselves are the machine's jobs. */

export function new_Promise(executor: unknown): unknown {
  if (!$.isCallable(executor)) throw new TypeError(`Promise resolver ${$.describe(executor)} is not a function`);
  const promise = $.newPromise();
  const resolvers = $.newResolvers(promise);
  const reject = $.rejectOf(resolvers);
  try {
    $.call(executor, undefined, $.resolveOf(resolvers), reject);
  } catch (error) {
    $.call(reject, undefined, error);
  }
  return promise;
}

export function Promise_prototype_finally(this: unknown, onFinally: unknown): unknown {
  $.requirePromise(this, "finally");
  if (!$.isCallable(onFinally)) return $.then(this, onFinally, onFinally);
  return $.then(
    this,
    (value: unknown) => $.then($.toPromise($.call(onFinally, undefined)), () => value, undefined),
    (reason: unknown) =>
      $.then(
        $.toPromise($.call(onFinally, undefined)),
        () => {
          throw reason;
        },
        undefined,
      ),
  );
}

export function job_reaction(handler: unknown, value: unknown): unknown {
  return $.call(handler, undefined, value);
}

export function job_thenable(then: unknown, thenable: unknown, resolve: unknown, reject: unknown): unknown {
  return $.call(then, thenable, resolve, reject);
}
