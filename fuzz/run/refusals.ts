/**
 * What the machine refuses on purpose, though V8 would do it: boxed primitives, prototypes, the text of
 * functions. A run that ends so agrees with V8 up to that point; any other engine error is a defect.
 */
const DELIBERATE: readonly RegExp[] = [
  /^an array method on a (?:string|number|boolean|bigint) /,
  /^a boxed \w+ /,
  /^Function\.prototype\.apply with an array-like object /,
  /^Object\.create with a prototype /,
  /^an array element with attributes of its own /,
  /^a property with a getter or setter /,
  /^the text of a function/,
  /^the prototype of a function /,
  /^the descriptor of the built-in /,
  /^the built-in property '(?:toLocale\w*|localeCompare|__\w+__|buffer|toString|caller|arguments)' /,
  /^Promise\.prototype\.\w+ of another object /,
  /^constructing a function with 'new' /,
  /^'instanceof' with a function that is not a class /,
  /^an array-like whose length is an object /,
  /^an argument of .+ that changes its receiver /,
  /^the encoding '.+' /,
  /^the international host name /,
  /^reviving /,
  /^an array of length \d+ /,
  /^structuredClone with 'transfer' /,
];

export function isDeliberateRefusal(code: unknown, message: unknown): boolean {
  return (
    code === "UnsupportedBuiltin" && typeof message === "string" && DELIBERATE.some((refusal) => refusal.test(message))
  );
}
