/** One entry of the list of built-ins: what exists in workflow bodies, and how it is carried out. */
export interface Builtin {
  /** `Array.prototype.map`, `Math.PI`, `parseInt`, `Map.prototype.size`. */
  readonly path: string;
  readonly kind: "function" | "constructor" | "getter" | "constant" | "namespace" | "prototype";
  /** `host`: a function of the VM; `prelude`: our own bytecode, since it calls back; `machine`: an operation of the interpreter. */
  readonly how: "host" | "prelude" | "machine";
  /** What `fn.length` reads. */
  readonly length: number;
  /** The entry's own line, for people and for the generator of the differential test. */
  readonly signature: string;
  readonly parameters: readonly Parameter[];
  readonly returns: string;
  /**
   * See `Implementation.coerce` in the VM: receiver first, then the parameters, the last character standing for
   * all further arguments. Only for `host`: the prelude coerces for itself.
   */
  readonly coerce: string;
  /** A getter that can be assigned to (`URL.prototype.href`). */
  readonly settable: boolean;
  /** A constructor that can also be called without `new`, and one that can only be. */
  readonly callable: boolean;
  readonly constructible: boolean;
  /** V8 has this use of a constructor and workflows do not (`new String`, calling `Function`). */
  readonly refused: readonly ("call" | "new")[];
  /** The path whose function object this one is too: `Number.parseInt` is `parseInt`. Else "". */
  readonly sameAs: string;
  /** For constructors and prototypes: the path of the object they inherit from, "" when it is the usual one. */
  readonly parent: string;
}

export interface Parameter {
  readonly name: string;
  /** `integer`, `number`, `string`, `any`, `array`, `iterable`, `object`, `regexp`, `fn(item, index) -> any` … */
  readonly type: string;
  readonly optional: boolean;
  readonly rest: boolean;
}
