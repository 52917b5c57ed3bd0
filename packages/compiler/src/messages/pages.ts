// Made by scripts/generate-messages.mjs from the Markdown files beside it. Edit those.

import type { Code } from "./table.ts";

/** The page of each code, in Markdown. */
export const pages: Readonly<Record<Code, string>> = {
  CAIRN1001: `# CAIRN1001: Syntax error

*Rejected syntax, error*

> This is not valid TypeScript: ‹problem›.
>
> Correct the syntax first; nothing else in this file is checked until it can be read.

The file is read as a TypeScript module, which is always in strict mode. What a JavaScript engine refuses before running anything is reported here.

Wrong:

\`\`\`ts
const total = ;
\`\`\`

Right:

\`\`\`ts
const total = 0;
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1002: `# CAIRN1002: Construct outside the language

*Rejected syntax, error*

> ‹kind› is not part of the language of workflow bodies.
>
> Write it with plain statements, functions, objects and arrays, or move it into an action.

Only constructs that are known to behave exactly as in Node.js are compiled. This one is neither on the list of accepted constructs nor has it a page of its own.

Wrong:

\`\`\`ts
import rates = require("./rates.ts");

export default workflow("example", async () => {
  return rates;
});
\`\`\`

Right:

\`\`\`ts
const rates = { standard: 5 };

export default workflow("example", async () => {
  return rates;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1003: `# CAIRN1003: Class inside a body

*Rejected syntax, error*

> The class ‹name› is not a declaration at the top level of a module.
>
> Use a plain object and functions; an error class is written \`class Declined extends Error {}\` at the top level.

Instances live in the stored state of a run, so a class must exist before the run starts. Error classes at the top level of a module do.

Wrong:

\`\`\`ts
class Cart {
  items: string[] = [];
}
const cart = new Cart();
cart.items.push("book");
\`\`\`

Right:

\`\`\`ts
const cart = { items: [] as string[] };
cart.items.push("book");
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1004: `# CAIRN1004: Class that does not extend an error

*Rejected syntax, error*

> A workflow uses the class ‹name›, which does not extend Error or one of its built-in subclasses.
>
> Use a plain object made by a function instead of an instance, or do the work that needs the class in an action.

The one kind of class that a body may use is an error class: a class at the top level of a module that extends \`Error\`, \`TypeError\`, \`RangeError\`, … or another such class.

Wrong:

\`\`\`ts
class Money {
  constructor(public cents: number) {}
}

export default workflow("example", async () => {
  return new Money(500).cents;
});
\`\`\`

Right:

\`\`\`ts
function money(cents: number) {
  return { cents };
}

export default workflow("example", async () => {
  return money(500).cents;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1005: `# CAIRN1005: Member of an error class

*Rejected syntax, error*

> The error class ‹name› has ‹member›; only fields and a constructor are supported.
>
> Turn it into a field or into a function that takes the error as its argument.

An error class is stored by its name and fields. Methods, accessors, static members, private names and computed keys are not kept, so they are refused instead of lost.

Wrong:

\`\`\`ts
class Declined extends Error {
  constructor(public code: string) {
    super("declined");
  }
  isFinal() {
    return this.code === "stolen";
  }
}

export default workflow("example", async () => {
  throw new Declined("stolen");
});
\`\`\`

Right:

\`\`\`ts
class Declined extends Error {
  constructor(public code: string) {
    super("declined");
  }
}

function isFinal(error: Declined) {
  return error.code === "stolen";
}

export default workflow("example", async () => {
  const error = new Declined("stolen");
  return isFinal(error);
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1006: `# CAIRN1006: Statement in an error class constructor

*Rejected syntax, error*

> The constructor of the error class ‹name› does more than call super(...) and assign to fields of this.
>
> Compute the values before and pass them as arguments; Object.setPrototypeOf and Error.captureStackTrace are not needed.

The first statement is \`super(...)\`, the others are assignments such as \`this.code = code\`. Their right sides may be any expression that does not use \`await\` or call anything durable.

Wrong:

\`\`\`ts
class Declined extends Error {
  code = "";
  constructor(codes: string[]) {
    super("declined");
    for (const code of codes) this.code += code;
  }
}

export default workflow("example", async () => {
  throw new Declined(["a", "b"]);
});
\`\`\`

Right:

\`\`\`ts
class Declined extends Error {
  code: string;
  constructor(codes: string[]) {
    super("declined");
    this.code = codes.join("");
  }
}

export default workflow("example", async () => {
  throw new Declined(["a", "b"]);
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1007: `# CAIRN1007: this outside an object method

*Rejected syntax, error*

> \`this\` is used outside a method of an object.
>
> Pass the object as a parameter, or write the function as a method: \`{ total() { return this.price; } }\`.

\`this\` is available in methods of object literals and in arrows inside them. In a workflow body, in helpers and in plain functions it would depend on how the function is called.

Wrong:

\`\`\`ts
function price(this: { cents: number }) {
  return this.cents / 100;
}
return price.call({ cents: 500 });
\`\`\`

Right:

\`\`\`ts
const item = {
  cents: 500,
  price() {
    return this.cents / 100;
  },
};
return item.price();
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1008: `# CAIRN1008: The arguments object

*Rejected syntax, error*

> \`arguments\` is not available in workflow bodies.
>
> Take the arguments as a rest parameter: \`(...args) => …\`.

Wrong:

\`\`\`ts
function count() {
  return arguments.length;
}
return count();
\`\`\`

Right:

\`\`\`ts
function count(...args: unknown[]) {
  return args.length;
}
return count(1, 2);
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1009: `# CAIRN1009: Generator

*Rejected syntax, error*

> Generator functions are not available in workflow bodies.
>
> Collect the values in an array and return it, or process each one in a loop.

A suspended generator is state that cannot be stored. The iterators of built-in types (\`map.entries()\`, \`array.values()\`) can be.

Wrong:

\`\`\`ts
function* pages() {
  yield 1;
  yield 2;
}
return [...pages()];
\`\`\`

Right:

\`\`\`ts
function pages() {
  return [1, 2];
}
return pages();
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1010: `# CAIRN1010: for await

*Rejected syntax, error*

> \`for await\` is not available in workflow bodies.
>
> Loop with \`for (const x of …)\` and await inside the loop, or read the stream in an action that returns an array.

Asynchronous iterators come from streams and generators, neither of which can be stored between two steps.

Wrong:

\`\`\`ts
for await (const page of [Promise.resolve(1), Promise.resolve(2)]) {
  console.log(page);
}
\`\`\`

Right:

\`\`\`ts
for (const promise of [Promise.resolve(1), Promise.resolve(2)]) {
  const page = await promise;
  console.log(page);
}
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1011: `# CAIRN1011: Getter or setter

*Rejected syntax, error*

> The ‹kind› of ‹name› is not available: properties in workflow bodies hold plain values.
>
> Make it a method and call it, or compute the value when the object is made.

Wrong:

\`\`\`ts
const cart = {
  prices: [1, 2],
  get total() {
    return this.prices.length;
  },
};
return cart.total;
\`\`\`

Right:

\`\`\`ts
const cart = {
  prices: [1, 2],
  total() {
    return this.prices.length;
  },
};
return cart.total();
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1012: `# CAIRN1012: with statement

*Rejected syntax, error*

> The \`with\` statement does not exist in modules.
>
> Name the object in front of each property.

Wrong:

\`\`\`ts
with (input) console.log(name);
\`\`\`

Right:

\`\`\`ts
console.log(input.name);
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1013: `# CAIRN1013: Decorator

*Rejected syntax, error*

> Decorators are not available on what a workflow uses.
>
> Remove the decorator and call its function explicitly, in an action if it has effects.

Wrong:

\`\`\`ts
function sealed(target: unknown) {
  console.log(target);
}

@sealed
class Declined extends Error {}

export default workflow("example", async () => {
  throw new Declined("no");
});
\`\`\`

Right:

\`\`\`ts
class Declined extends Error {}

export default workflow("example", async () => {
  throw new Declined("no");
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1014: `# CAIRN1014: Tagged template

*Rejected syntax, error*

> Tagged templates are not available in workflow bodies.
>
> Use a plain template literal, or call the function with ordinary arguments.

Wrong:

\`\`\`ts
const tag = (parts: TemplateStringsArray) => parts.join("");
return tag\`hello\`;
\`\`\`

Right:

\`\`\`ts
const name = "world";
return \`hello \${name}\`;
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1015: `# CAIRN1015: new.target

*Rejected syntax, error*

> \`new.target\` is not available in workflow bodies.
>
> Pass what the function should know as a parameter.

Wrong:

\`\`\`ts
function make() {
  return new.target === undefined;
}
return make();
\`\`\`

Right:

\`\`\`ts
function make(constructed: boolean) {
  return !constructed;
}
return make(false);
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1016: `# CAIRN1016: import.meta

*Rejected syntax, error*

> \`import.meta\` is not available in workflow bodies: it tells where the file lies on one machine.
>
> Pass what you need from it as input, or read it in an action.

Wrong:

\`\`\`ts
return import.meta.url;
\`\`\`

Right:

\`\`\`ts
return input.url;
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1017: `# CAIRN1017: import() expression

*Rejected syntax, error*

> \`import()\` is not available in workflow bodies: all code of a workflow is known when it is compiled.
>
> Import at the top of the file, or load the module in an action.

Wrong:

\`\`\`ts
const rates = await import("./rates.ts");
return rates;
\`\`\`

Right:

\`\`\`ts
const loadRates = action("rates.load", async () => ({ standard: 5 }));

export default workflow("example", async () => {
  const rates = await loadRates();
  return rates;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1018: `# CAIRN1018: using declaration

*Rejected syntax, error*

> \`‹kind›\` declarations are not available in workflow bodies: resources cannot be held open across steps.
>
> Open and close the resource inside one action, or release it in a \`finally\` block.

Wrong:

\`\`\`ts
using lock = input.lock;
console.log(lock);
\`\`\`

Right:

\`\`\`ts
const acquire = action("lock.acquire", async () => "token");
const release = action("lock.release", async (token: string) => token);

export default workflow("example", async () => {
  const lock = await acquire();
  try {
    console.log(lock);
  } finally {
    await release(lock);
  }
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1019: `# CAIRN1019: JSX

*Rejected syntax, error*

> JSX is not available in workflow bodies.
>
> Render in an action and return the text.

Wrong:

\`\`\`tsx
return <p>hello</p>;
\`\`\`

Right:

\`\`\`ts
const render = action("page.render", async (name: string) => \`<p>\${name}</p>\`);

export default workflow("example", async () => {
  return await render("hello");
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1020: `# CAIRN1020: __proto__

*Rejected syntax, error*

> \`__proto__\` is not available in workflow bodies: prototypes cannot be read or changed through it.
>
> Copy the properties you need with spread, \`{ ...base, x: 1 }\`, or keep them in a Map.

Wrong:

\`\`\`ts
const base = { kind: "order" };
return { __proto__: base, id: 1 };
\`\`\`

Right:

\`\`\`ts
const base = { kind: "order" };
return { ...base, id: 1 };
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1021: `# CAIRN1021: super in an object method

*Rejected syntax, error*

> \`super\` is only available as \`super(...)\` in the constructor of an error class.
>
> Call the other function by its name and pass the object to it.

Wrong:

\`\`\`ts
const item = {
  label() {
    return super.toString();
  },
};
return item.label();
\`\`\`

Right:

\`\`\`ts
function label(item: { name: string }) {
  return item.name;
}
return label({ name: "book" });
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1022: `# CAIRN1022: enum inside a body

*Rejected syntax, error*

> The enum ‹name› is declared inside a function of a workflow.
>
> Move the enum to the top level of the module; its members can be used from there.

Wrong:

\`\`\`ts
enum Size {
  Small,
  Large,
}
return Size.Large;
\`\`\`

Right:

\`\`\`ts
enum Size {
  Small,
  Large,
}

export default workflow("example", async () => {
  return Size.Large;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1023: `# CAIRN1023: namespace

*Rejected syntax, error*

> A workflow uses the namespace ‹name›, whose body is code that runs when the module is loaded.
>
> Make its members constants and functions of a module of their own.

Wrong:

\`\`\`ts
namespace Rates {
  export const standard = 5;
}

export default workflow("example", async () => {
  return Rates.standard;
});
\`\`\`

Right:

\`\`\`ts
const Rates = { standard: 5 };

export default workflow("example", async () => {
  return Rates.standard;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1024: `# CAIRN1024: debugger statement

*Rejected syntax, error*

> The \`debugger\` statement has no meaning in a workflow body, which the engine runs.
>
> Remove it; use console.log, whose lines appear in the run's events.

Wrong:

\`\`\`ts
debugger;
\`\`\`

Right:

\`\`\`ts
console.log("here");
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1025: `# CAIRN1025: delete of a variable

*Rejected syntax, error*

> \`delete\` cannot remove a variable.
>
> Assign undefined to it, or let it go out of scope.

Wrong:

\`\`\`ts
let draft = 1;
delete draft;
\`\`\`

Right:

\`\`\`ts
let draft: number | undefined = 1;
draft = undefined;
console.log(draft);
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1026: `# CAIRN1026: Invalid regular expression

*Rejected syntax, error*

> This regular expression is not valid: ‹problem›.
>
> Correct the pattern; the syntax is that of ECMAScript 2024.

Wrong:

\`\`\`ts
return /(unclosed/.test("x");
\`\`\`

Right:

\`\`\`ts
return /(closed)/.test("x");
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1027: `# CAIRN1027: new of a function

*Rejected syntax, error*

> ‹name› is a plain function, and \`new\` is only available for built-in types and error classes.
>
> Let the function return an object and call it without \`new\`.

Wrong:

\`\`\`ts
function Item() {}
return new Item();
\`\`\`

Right:

\`\`\`ts
function item() {
  return { name: "book" };
}
return item();
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN1028: `# CAIRN1028: Nested too deeply, or too large

*Rejected syntax, error*

> This code is beyond a limit of the compiler: ‹problem›.
>
> Name the inner parts: a helper for code, a constant for data, a loop for a long chain, a child workflow for a stage.

Nesting is limited far beyond what a reader can follow, so that the compiler never runs out of stack: about 200 functions, 250 loops, 500 lists or 1,000 operators inside each other, and 2,000 links of \`else if\`. What a program may measure is limited too: 50,000 functions, 100,000 durable calls, 65,535 variables of one function, strings of 16 million characters.

Wrong:

\`\`\`ts
return !!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!input;
\`\`\`

Right:

\`\`\`ts
return Boolean(input);
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2001: `# CAIRN2001: Unknown name

*Names and linking, error*

> The name ‹name› is not declared in this file, and it is not a built-in.
>
> Declare or import it; a value that differs from run to run comes as input or from an action.

Wrong:

\`\`\`ts
return total + 1;
\`\`\`

Right:

\`\`\`ts
const total = 1;
return total + 1;
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2002: `# CAIRN2002: Global that workflows do not have

*Names and linking, error*

> ‹name› exists in Node.js but not in a workflow body.
>
> Use it in an action and work with the action's result: \`const result = await myAction(input)\`.

A body runs on Cairn's own machine, whose whole state can be stored. Objects of the host cannot.

Wrong:

\`\`\`ts
const module = new WebAssembly.Module(input.bytes);
return module;
\`\`\`

Right:

\`\`\`ts
const compileModule = action("wasm.compile", async (bytes: Uint8Array) => bytes.length);

export default workflow("example", async (input: { bytes: Uint8Array }) => {
  return await compileModule(input.bytes);
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2003: `# CAIRN2003: Timer

*Names and linking, error*

> ‹name› is not available in workflow bodies: a timer does not survive a restart.
>
> Wait with \`await sleep("5 minutes")\` from cairnjs, which is durable; race it against other promises for a time limit.

Wrong:

\`\`\`ts
await new Promise((resolve) => setTimeout(resolve, 1000));
\`\`\`

Right:

\`\`\`ts
await sleep(1000);
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2004: `# CAIRN2004: Microtask or immediate

*Names and linking, error*

> ‹name› is not available in workflow bodies.
>
> Call the function directly, or after \`await null\` to let other code run first.

Wrong:

\`\`\`ts
queueMicrotask(() => console.log("later"));
\`\`\`

Right:

\`\`\`ts
await null;
console.log("later");
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2005: `# CAIRN2005: process

*Names and linking, error*

> \`process\` is not available in workflow bodies: it belongs to one machine, and a run can move to another.
>
> Pass settings in the workflow's input, or read them in an action that returns them.

Wrong:

\`\`\`ts
return process.env["REGION"];
\`\`\`

Right:

\`\`\`ts
const readRegion = action("settings.region", async () => process.env["REGION"]);

export default workflow("example", async () => {
  return await readRegion();
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2006: `# CAIRN2006: Network access

*Names and linking, error*

> ‹name› is not available in workflow bodies: network access can fail and must be retried and recorded.
>
> Make the request in an action: \`const load = action("page.load", async (url) => (await fetch(url)).text())\`.

Wrong:

\`\`\`ts
const response = await fetch("https://example.com");
return await response.text();
\`\`\`

Right:

\`\`\`ts
const loadPage = action("page.load", async (url: string) => (await fetch(url)).text());

export default workflow("example", async () => {
  return await loadPage("https://example.com");
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2007: `# CAIRN2007: Module of Node.js

*Names and linking, error*

> ‹name› comes from the Node.js module ‹module›, which a workflow body cannot use.
>
> Call it in an action and return what the workflow needs.

Files, sockets, processes and hashes of the host are outside the state that Cairn stores. An action may use all of them.

Wrong:

\`\`\`ts
import { readFile } from "node:fs/promises";

export default workflow("example", async () => {
  return await readFile("rates.json", "utf8");
});
\`\`\`

Right:

\`\`\`ts
import { readFile } from "node:fs/promises";

const readRates = action("rates.read", async () => await readFile("rates.json", "utf8"));

export default workflow("example", async () => {
  return await readRates();
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2008: `# CAIRN2008: Intl

*Names and linking, error*

> \`Intl\` is not available in workflow bodies: its results differ between versions of Node.js.
>
> Format for people in an action, or where the value is shown.

Wrong:

\`\`\`ts
return new Intl.NumberFormat("en").format(1234);
\`\`\`

Right:

\`\`\`ts
const formatNumber = action("number.format", async (value: number) => new Intl.NumberFormat("en").format(value));

export default workflow("example", async () => {
  return await formatNumber(1234);
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2009: `# CAIRN2009: Locale-dependent formatting

*Names and linking, error*

> ‹name› is not available in workflow bodies: its result depends on the machine's language data.
>
> Use \`‹instead›\`, or format for people in an action.

Wrong:

\`\`\`ts
return new Date(0).toLocaleDateString("en");
\`\`\`

Right:

\`\`\`ts
return new Date(0).toISOString().slice(0, 10);
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2010: `# CAIRN2010: localeCompare

*Names and linking, error*

> localeCompare is not available in workflow bodies: its order depends on the machine's language data.
>
> Compare with \`<\` and \`>\`: \`(a, b) => (a < b ? -1 : a > b ? 1 : 0)\`; sort for people in an action.

Wrong:

\`\`\`ts
return ["b", "a"].sort((a, b) => a.localeCompare(b));
\`\`\`

Right:

\`\`\`ts
return ["b", "a"].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2011: `# CAIRN2011: Symbol

*Names and linking, error*

> \`Symbol\` is not available in workflow bodies; objects cannot define their own iteration or conversion.
>
> Use string keys; to make something iterable, return an array from a function.

Wrong:

\`\`\`ts
const range = {
  [Symbol.iterator]() {
    return [1, 2].values();
  },
};
return [...range];
\`\`\`

Right:

\`\`\`ts
const range = () => [1, 2];
return [...range()];
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2012: `# CAIRN2012: Proxy and Reflect

*Names and linking, error*

> \`‹name›\` is not available in workflow bodies.
>
> Use plain property access, \`in\`, \`delete\`, Object.keys and ordinary function calls.

Wrong:

\`\`\`ts
return Reflect.ownKeys({ a: 1 });
\`\`\`

Right:

\`\`\`ts
return Object.keys({ a: 1 });
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2013: `# CAIRN2013: Weak reference

*Names and linking, error*

> \`‹name›\` is not available in workflow bodies: what it holds depends on garbage collection.
>
> Use a Map or a Set.

Wrong:

\`\`\`ts
const seen = new WeakSet();
return seen.has(input);
\`\`\`

Right:

\`\`\`ts
const seen = new Set();
return seen.has(input);
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2014: `# CAIRN2014: Code from text

*Names and linking, error*

> \`‹name›\` is not available in workflow bodies: all code of a workflow is known when it is compiled.
>
> Write the code as a function, or choose among functions in an object: \`handlers[input.kind](input)\`.

Wrong:

\`\`\`ts
return eval("1 + 1");
\`\`\`

Right:

\`\`\`ts
const operations = { add: (a: number, b: number) => a + b };
return operations.add(1, 1);
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2015: `# CAIRN2015: Events and aborting

*Names and linking, error*

> \`‹name›\` is not available in workflow bodies.
>
> Stop waiting with Promise.race and sleep, set a \`timeout\` on the action, or cancel the run from outside.

Wrong:

\`\`\`ts
const controller = new AbortController();
return controller.signal.aborted;
\`\`\`

Right:

\`\`\`ts
const load = action("page.load", { timeout: "30 s" }, async (url: string) => url);

export default workflow("example", async () => {
  return await load("https://example.com");
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2016: `# CAIRN2016: Binary data other than Uint8Array

*Names and linking, error*

> \`‹name›\` is not available in workflow bodies; bytes are held in a Uint8Array.
>
> Use Uint8Array, or do the binary work in an action.

Wrong:

\`\`\`ts
return new Float64Array(2);
\`\`\`

Right:

\`\`\`ts
return new Uint8Array(2);
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2017: `# CAIRN2017: Accessor descriptor

*Names and linking, error*

> ‹name› defines a getter or setter, and properties in workflow bodies hold plain values.
>
> Store the value in the property, or write a function that computes it.

Wrong:

\`\`\`ts
const item = {};
Object.defineProperty(item, "price", { get: () => 5 });
return item;
\`\`\`

Right:

\`\`\`ts
const item = { price: () => 5 };
return item.price();
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2018: `# CAIRN2018: Prototype

*Names and linking, error*

> ‹name› would give an object another prototype, which workflow bodies do not have.
>
> Copy properties with spread, \`{ ...base, x: 1 }\`; \`Object.create(null)\` makes an object without a prototype.

Wrong:

\`\`\`ts
const base = { kind: "order" };
return Object.create(base);
\`\`\`

Right:

\`\`\`ts
const base = { kind: "order" };
return { ...base };
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2019: `# CAIRN2019: Unsupported built-in

*Names and linking, error*

> ‹path› is not among the built-ins of workflow bodies.
>
> Write it with supported built-ins (docs: built-ins), or call it in an action.

The list of built-ins is the same on every version of Node.js, so what only newer versions have, or what depends on the machine, is not on it.

Wrong:

\`\`\`ts
return Object.groupBy([1, 2, 3], (n) => (n % 2 === 0 ? "even" : "odd"));
\`\`\`

Right:

\`\`\`ts
const groups: Record<string, number[]> = { even: [], odd: [] };
for (const n of [1, 2, 3]) groups[n % 2 === 0 ? "even" : "odd"]?.push(n);
return groups;
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2020: `# CAIRN2020: Helper from a package

*Names and linking, error*

> ‹name› is imported from the package ‹module›, whose code is not compiled into workflows.
>
> Call it in an action, or copy the function into your own source.

The compiler follows imports of your own source files. What a package does, on which host objects it relies, it cannot know. An action may call any package.

Wrong:

\`\`\`ts
import { chunk } from "lodash-es";

export default workflow("example", async () => {
  return chunk([1, 2, 3], 2);
});
\`\`\`

Right:

\`\`\`ts
function chunk<T>(items: T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let i = 0; i < items.length; i += size) chunks.push(items.slice(i, i + size));
  return chunks;
}

export default workflow("example", async () => {
  return chunk([1, 2, 3], 2);
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2021: `# CAIRN2021: Module cannot be read

*Names and linking, error*

> The module ‹module›, which ‹name› is imported from, cannot be found or read.
>
> Correct the path; relative imports are resolved from the importing file.

Wrong:

\`\`\`ts
import { rates } from "./no-such-file.ts";

export default workflow("example", async () => {
  return rates;
});
\`\`\`

Right:

\`\`\`ts
const rates = { standard: 5 };

export default workflow("example", async () => {
  return rates;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2022: `# CAIRN2022: Missing export

*Names and linking, error*

> The module ‹module› does not export ‹name›.
>
> Export it there, or import the name that it exports.

Wrong:

\`\`\`ts
import { missing } from "./example.ts";

export default workflow("example", async () => {
  return missing;
});
\`\`\`

Right:

\`\`\`ts
export const present = 5;

export default workflow("example", async () => {
  return present;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2023: `# CAIRN2023: The global object

*Names and linking, error*

> \`‹name›\` is not available in workflow bodies.
>
> Name the built-in directly: \`Math\`, \`JSON\`, \`Date\`.

Wrong:

\`\`\`ts
return globalThis.Math.max(1, 2);
\`\`\`

Right:

\`\`\`ts
return Math.max(1, 2);
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2024: `# CAIRN2024: Changing a built-in

*Names and linking, error*

> ‹path› is a built-in and cannot be changed.
>
> Keep the value in a variable or in an object of your own.

Wrong:

\`\`\`ts
Math.TAU = 6.28;
\`\`\`

Right:

\`\`\`ts
const TAU = 6.28;
return TAU;
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2025: `# CAIRN2025: performance

*Names and linking, error*

> \`performance\` is not available in workflow bodies: it measures the process, and a run outlives processes.
>
> Use \`Date.now()\`, which gives the time of the input being processed.

Wrong:

\`\`\`ts
return performance.now();
\`\`\`

Right:

\`\`\`ts
return Date.now();
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2026: `# CAIRN2026: Buffer

*Names and linking, error*

> \`Buffer\` is not available in workflow bodies.
>
> Use Uint8Array, TextEncoder and TextDecoder, and \`btoa\`/\`atob\` for base64.

Wrong:

\`\`\`ts
return Buffer.from("hello").length;
\`\`\`

Right:

\`\`\`ts
return new TextEncoder().encode("hello").length;
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2027: `# CAIRN2027: CommonJS name

*Names and linking, error*

> \`‹name›\` does not exist in ES modules.
>
> Import at the top of the file with \`import\`; paths of files belong into actions.

Wrong:

\`\`\`ts
const rates = require("./rates.json");
return rates;
\`\`\`

Right:

\`\`\`ts
const rates = { standard: 5 };
return rates.standard;
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2028: `# CAIRN2028: Namespace object as a value

*Names and linking, error*

> The import namespace ‹name› is used as a value; only its members can be used: \`‹name›.member\`.
>
> Name the member you need, or collect the functions in an object: \`const tools = { search, book }\`.

Wrong:

\`\`\`ts
import * as self from "./example.ts";

export const rate = 5;

export default workflow("example", async () => {
  return Object.keys(self);
});
\`\`\`

Right:

\`\`\`ts
import * as self from "./example.ts";

export const rate = 5;

export default workflow("example", async () => {
  return self.rate;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2029: `# CAIRN2029: depends in a workflow

*Names and linking, error*

> \`depends\` injects live objects such as clients, which only actions may use.
>
> Move the \`depends(...)\` parameter to the action that needs the dependency.

Wrong:

\`\`\`ts
import { depends, workflow } from "cairnjs";

const database = async () => "connection";

export default workflow("example", async () => {
  return depends(database);
});
\`\`\`

Right:

\`\`\`ts
import { action, depends, workflow } from "cairnjs";

const database = async () => "connection";
const query = action("query", async (sql: string, connection = depends(database)) => \`\${connection} \${sql}\`);

export default workflow("example", async () => {
  return await query("SELECT 1");
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2030: `# CAIRN2030: Name of cairnjs outside a body

*Names and linking, error*

> ‹name› of cairnjs is for code around workflows and has no meaning in a body.
>
> Call it where you start or serve workflows, or in an action.

Wrong:

\`\`\`ts
import { createClient, workflow } from "cairnjs";

export default workflow("example", async () => {
  return createClient();
});
\`\`\`

Right:

\`\`\`ts
import { runInfo, workflow } from "cairnjs";

export default workflow("example", async () => {
  return runInfo().id;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2031: `# CAIRN2031: Value declared elsewhere

*Names and linking, error*

> ‹name› is only declared (\`declare\`), so its value is not part of the program.
>
> Import it from a source file, or pass its value as input.

Wrong:

\`\`\`ts
declare const BUILD: string;

export default workflow("example", async () => {
  return BUILD;
});
\`\`\`

Right:

\`\`\`ts
const BUILD = "2024-11";

export default workflow("example", async () => {
  return BUILD;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2032: `# CAIRN2032: Enum member without a known value

*Names and linking, error*

> The value of the enum member ‹name› is only known when the module is loaded.
>
> Give the enum member a literal value.

Wrong:

\`\`\`ts
enum Size {
  Small = 1,
  Huge = Math.random(),
}

export default workflow("example", async () => {
  return Size.Huge;
});
\`\`\`

Right:

\`\`\`ts
enum Size {
  Small = 1,
  Huge = 9,
}

export default workflow("example", async () => {
  return Size.Huge;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN2033: `# CAIRN2033: Built-in used in an unsupported way

*Names and linking, error*

> ‹use› is not available in workflow bodies.
>
> Write \`‹instead›\` instead.

Wrong:

\`\`\`ts
return new String("text");
\`\`\`

Right:

\`\`\`ts
return String("text");
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN3001: `# CAIRN3001: Module-level variable that can change

*Values and captures, error*

> ‹name› is a module-level \`‹kind›\`, whose value at the time of a run is not known.
>
> Declare it with \`const\`, or pass the value in the workflow's input.

Wrong:

\`\`\`ts
let retries = 3;

export default workflow("example", async () => {
  return retries;
});
\`\`\`

Right:

\`\`\`ts
const retries = 3;

export default workflow("example", async () => {
  return retries;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN3002: `# CAIRN3002: Write to a module-level variable

*Values and captures, error*

> ‹name› is declared outside the workflow, so a run cannot assign to it.
>
> Keep the value in a variable of the body and return it, or store it in an action.

Many runs share a module, and they move between processes. A variable outside the body would mean something else each time.

Wrong:

\`\`\`ts
let runs = 0;

export default workflow("example", async () => {
  runs += 1;
});
\`\`\`

Right:

\`\`\`ts
export default workflow("example", async (input: { runs: number }) => {
  const runs = input.runs + 1;
  return runs;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN3003: `# CAIRN3003: Write into a module-level constant

*Values and captures, error*

> ‹name› is a module-level constant, which is frozen in workflows and cannot be changed.
>
> Copy it first: \`const copy = { ...‹name› }\` or \`[...‹name›]\`.

Wrong:

\`\`\`ts
const settings = { retries: 3 };

export default workflow("example", async () => {
  settings.retries = 5;
  return settings;
});
\`\`\`

Right:

\`\`\`ts
const settings = { retries: 3 };

export default workflow("example", async () => {
  const own = { ...settings, retries: 5 };
  return own;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN3004: `# CAIRN3004: Constant that depends on time or chance

*Values and captures, error*

> The module-level constant ‹name› uses ‹source›, so it would differ each time the module is loaded.
>
> Call ‹source› inside the body, where its result is recorded, or pass the value as input.

Wrong:

\`\`\`ts
const startedAt = Date.now();

export default workflow("example", async () => {
  return startedAt;
});
\`\`\`

Right:

\`\`\`ts
export default workflow("example", async () => {
  const startedAt = Date.now();
  return startedAt;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN3005: `# CAIRN3005: Constant that reads the environment

*Values and captures, error*

> The module-level constant ‹name› reads ‹source›, which differs between machines.
>
> Pass the value in the workflow's input, or read it in an action.

Wrong:

\`\`\`ts
const region = process.env["REGION"];

export default workflow("example", async () => {
  return region;
});
\`\`\`

Right:

\`\`\`ts
export default workflow("example", async (input: { region: string }) => {
  return input.region;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN3006: `# CAIRN3006: Constant made by a function call

*Values and captures, error*

> The module-level constant ‹name› is the result of calling ‹callee›, which cannot be evaluated at compile time.
>
> Write the value out, call ‹callee› inside the body, or pass the value as input.

Literals, other constants, operators and pure built-ins such as \`Object.freeze\`, \`Math.max\` or \`"a b".split(" ")\` can be evaluated. Your own functions and those of packages cannot.

Wrong:

\`\`\`ts
function load() {
  return { standard: 5 };
}
const rates = load();

export default workflow("example", async () => {
  return rates;
});
\`\`\`

Right:

\`\`\`ts
const rates = Object.freeze({ standard: 5 });

export default workflow("example", async () => {
  return rates;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN3007: `# CAIRN3007: Constant made with new

*Values and captures, error*

> The module-level constant ‹name› is made with \`new ‹callee›\`, which cannot be evaluated at compile time.
>
> Use a plain object, create it inside the body, or keep the instance in the module of an action.

Wrong:

\`\`\`ts
import { Client } from "some-database";

const client = new Client();

export default workflow("example", async () => {
  return client;
});
\`\`\`

Right:

\`\`\`ts
import { Client } from "some-database";

const client = new Client();
const query = action("query", async (sql: string) => client.query(sql));

export default workflow("example", async () => {
  return await query("SELECT 1");
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN3008: `# CAIRN3008: Constant that cannot be evaluated

*Values and captures, error*

> The module-level constant ‹name› contains ‹kind›, which cannot be evaluated at compile time.
>
> Write the value out with literals, other constants and pure built-ins, or compute it inside the body.

Wrong:

\`\`\`ts
const rates = await Promise.resolve({ standard: 5 });

export default workflow("example", async () => {
  return rates;
});
\`\`\`

Right:

\`\`\`ts
const rates = { standard: 5 };

export default workflow("example", async () => {
  return rates;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN3009: `# CAIRN3009: Constant that cannot be stored

*Values and captures, error*

> The module-level constant ‹name› holds ‹kind›, which cannot be part of a program.
>
> Create it inside the body, or hold the values in an array.

Wrong:

\`\`\`ts
const pages = [1, 2, 3].values();

export default workflow("example", async () => {
  return [...pages];
});
\`\`\`

Right:

\`\`\`ts
const pages = [1, 2, 3];

export default workflow("example", async () => {
  return [...pages];
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN3010: `# CAIRN3010: Constants in a circle

*Values and captures, error*

> The module-level constant ‹name› is defined by itself, directly or through other constants.
>
> Break the circle: give one of the constants a value of its own, or make it a function.

Wrong:

\`\`\`ts
const a: number = b;
const b: number = a;

export default workflow("example", async () => {
  return a;
});
\`\`\`

Right:

\`\`\`ts
const b = 1;
const a = b;

export default workflow("example", async () => {
  return a;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN3011: `# CAIRN3011: Module-level variable without a value

*Values and captures, error*

> ‹name› is declared without a value at module level, so there is nothing to put into the program.
>
> Declare it with \`const\` and a value, or pass the value in the workflow's input.

Wrong:

\`\`\`ts
let limit: number;

export default workflow("example", async () => {
  return limit;
});
\`\`\`

Right:

\`\`\`ts
const limit = 10;

export default workflow("example", async () => {
  return limit;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN3012: `# CAIRN3012: Assignment to a captured variable in step()

*Values and captures, error*

> ‹name› belongs to the workflow and is assigned inside step(), which only sees a copy of it.
>
> Return the new value from the step: \`‹name› = await step("name", async () => …)\`.

The arrow given to \`step\` runs on a worker, perhaps on another machine, so what it assigns would be lost.

Wrong:

\`\`\`ts
let count = 0;
await step("count", async () => {
  count += 1;
});
return count;
\`\`\`

Right:

\`\`\`ts
let count = 0;
count = await step("count", async () => count + 1);
return count;
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN3013: `# CAIRN3013: Captured value that cannot be stored

*Values and captures, error*

> The step uses ‹name›, which is ‹kind›; only storable values can be passed into step().
>
> Move it into the step, or to the top level of the module.

What a step captures travels to a worker as data: JSON types, Date, Map, Set, bytes, errors. Functions, promises, iterators and regular expressions do not. Functions at the top level of the module need not travel.

Wrong:

\`\`\`ts
const double = (n: number) => n * 2;
return await step("double", async () => double(21));
\`\`\`

Right:

\`\`\`ts
const double = (n: number) => n * 2;

export default workflow("example", async () => {
  return await step("double", async () => double(21));
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN3014: `# CAIRN3014: Durable call inside step()

*Values and captures, error*

> ‹name› is used inside step(), which runs on a worker like any action and cannot wait durably.
>
> Call ‹name› in the body, before or after the step.

Wrong:

\`\`\`ts
await step("wait", async () => {
  await sleep(1000);
});
\`\`\`

Right:

\`\`\`ts
await sleep(1000);
await step("log", async () => "waited");
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN3015: `# CAIRN3015: Constant used before it is declared

*Values and captures, error*

> ‹name› is used while the module is loaded, before the line that declares it.
>
> Move the declaration of ‹name› above this line.

Node.js refuses to load such a file with a ReferenceError. Functions may use constants that stand below them.

Wrong:

\`\`\`ts
const total = price * 2;
const price = 5;

export default workflow("example", async () => {
  return total;
});
\`\`\`

Right:

\`\`\`ts
const price = 5;
const total = price * 2;

export default workflow("example", async () => {
  return total;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN3016: `# CAIRN3016: Constant changed after it is made

*Values and captures, error*

> ‹name› is used by a workflow and changed here, which the workflow would not see.
>
> Build the whole value where ‹name› is declared, or pass the value to the workflow as input.

A program holds what the declaration of a constant, function or class gives. Later changes, at the top level of a module or in an action, happen in one process only.

Wrong:

\`\`\`ts
const handlers: Record<string, () => number> = {};
handlers["one"] = () => 1;

export default workflow("example", async () => {
  return handlers["one"]?.();
});
\`\`\`

Right:

\`\`\`ts
const handlers: Record<string, () => number> = {
  one: () => 1,
};

export default workflow("example", async () => {
  return handlers["one"]?.();
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN4001: `# CAIRN4001: Missing await

*Promises and await, error*

> ‹call› gives a promise, which is used as ‹place› without \`await\`.
>
> Write \`await ‹call›\`, or keep the promise in a variable and await it later.

A promise is always true as a condition, NaN in arithmetic, "[object Promise]" in text, and has none of the result's properties.

Wrong:

\`\`\`ts
const isPaid = action("order.isPaid", async (id: string) => id === "1");

export default workflow("example", async () => {
  if (isPaid("1")) return "paid";
  return "open";
});
\`\`\`

Right:

\`\`\`ts
const isPaid = action("order.isPaid", async (id: string) => id === "1");

export default workflow("example", async () => {
  if (await isPaid("1")) return "paid";
  return "open";
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN4002: `# CAIRN4002: Discarded promise

*Promises and await, error*

> The promise of ‹call› is discarded, so nothing waits for it and its error would be lost.
>
> Write \`await ‹call›\`, or keep the promise and await it later; \`void\` in front says that it may be cut off.

When the body returns, open calls are cancelled. A call that nobody awaits may therefore never finish.

Wrong:

\`\`\`ts
const notify = action("notify", async (text: string) => text);

export default workflow("example", async () => {
  notify("done");
});
\`\`\`

Right:

\`\`\`ts
const notify = action("notify", async (text: string) => text);

export default workflow("example", async () => {
  await notify("done");
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN4003: `# CAIRN4003: Promise discarded with void

*Promises and await, warning*

> Nothing waits for ‹call›: it is cancelled if the body ends first, and its error is not handled.
>
> Await it, or start a child workflow with \`start\`, which lives on its own.

Wrong:

\`\`\`ts
const notify = action("notify", async (text: string) => text);

export default workflow("example", async () => {
  void notify("done");
  await sleep("1 hour");
});
\`\`\`

Right:

\`\`\`ts
const notify = action("notify", async (text: string) => text);

export default workflow("example", async () => {
  const notified = notify("done");
  await sleep("1 hour");
  await notified;
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN4004: `# CAIRN4004: forEach does not wait

*Promises and await, error*

> forEach ignores the promises of its callback, so nothing waits for ‹call›.
>
> Write \`for (const item of items) await …\`, or \`await Promise.all(items.map(…))\` to run them together.

Wrong:

\`\`\`ts
const notify = action("notify", async (text: string) => text);

export default workflow("example", async (input: { names: string[] }) => {
  input.names.forEach(async (name) => {
    await notify(name);
  });
});
\`\`\`

Right:

\`\`\`ts
const notify = action("notify", async (text: string) => text);

export default workflow("example", async (input: { names: string[] }) => {
  for (const name of input.names) await notify(name);
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN5001: `# CAIRN5001: Action that is not async

*Declarations, error*

> The function of the action ‹name› is not async.
>
> Write \`async\` in front of it; a call of an action always gives a promise.

Wrong:

\`\`\`ts
const greet = action("greet", (name: string) => \`hello \${name}\`);

export default workflow("example", async () => {
  return await greet("Ada");
});
\`\`\`

Right:

\`\`\`ts
const greet = action("greet", async (name: string) => \`hello \${name}\`);

export default workflow("example", async () => {
  return await greet("Ada");
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN5002: `# CAIRN5002: Workflow that is not async

*Declarations, error*

> The body of the workflow ‹name› is not an async function.
>
> Write \`async\` in front of it: \`workflow("name", async (input) => { … })\`.

Wrong:

\`\`\`ts
export default workflow("example", () => 1);
\`\`\`

Right:

\`\`\`ts
export default workflow("example", async () => 1);
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN5003: `# CAIRN5003: Workflow with more than one parameter

*Declarations, error*

> The body of the workflow ‹name› takes more than one parameter, but a workflow has one input.
>
> Take one object: \`async ({ order, customer }) => …\`.

Wrong:

\`\`\`ts
export default workflow("example", async (order: string, customer: string) => order + customer);
\`\`\`

Right:

\`\`\`ts
export default workflow("example", async ({ order, customer }: Record<string, string>) => \`\${order} \${customer}\`);
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN5004: `# CAIRN5004: Name not known at compile time

*Declarations, error*

> The name given to ‹kind› is not a string that is known when the file is compiled.
>
> Write the name as a string literal: \`‹kind›("orders.ship", …)\`.

Names are stored with every run and decide which worker takes a call.

Wrong:

\`\`\`ts
const prefix = Math.max(1, 2);
const greet = action(\`greet\${prefix}\`, async () => "hello");

export default workflow("example", async () => {
  return await greet();
});
\`\`\`

Right:

\`\`\`ts
const greet = action("greet", async () => "hello");

export default workflow("example", async () => {
  return await greet();
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN5005: `# CAIRN5005: Empty name

*Declarations, error*

> The name given to ‹kind› is empty.
>
> Give it a dotted name that says what it does, such as \`orders.ship\`.

Wrong:

\`\`\`ts
export default workflow("", async () => 1);
\`\`\`

Right:

\`\`\`ts
export default workflow("orders.ship", async () => 1);
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN5006: `# CAIRN5006: Name declared twice

*Declarations, error*

> This file declares two ‹kind›s with the name ‹name›.
>
> Give each its own name; the name is what runs and workers refer to.

Wrong:

\`\`\`ts
export const first = workflow("example", async () => 1);
export const second = workflow("example", async () => 2);
\`\`\`

Right:

\`\`\`ts
export const first = workflow("example.first", async () => 1);
export const second = workflow("example.second", async () => 2);
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN5007: `# CAIRN5007: Step name used twice

*Declarations, error*

> The workflow has two steps with the name ‹name›, and each becomes an action of that name.
>
> Give each step() its own name, or put the shared code into one action.

Wrong:

\`\`\`ts
await step("log", async () => 1);
await step("log", async () => 2);
\`\`\`

Right:

\`\`\`ts
await step("log.before", async () => 1);
await step("log.after", async () => 2);
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN5008: `# CAIRN5008: Workflow body that is not written in place

*Declarations, error*

> The body of the workflow ‹name› is not a function that the compiler can see.
>
> Write the async function in the call itself: \`workflow("name", async (input) => { … })\`.

Wrong:

\`\`\`ts
const bodies = { example: async () => 1 };

export default workflow("example", bodies.example);
\`\`\`

Right:

\`\`\`ts
export default workflow("example", async () => 1);
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN5009: `# CAIRN5009: Declaration inside a body

*Declarations, error*

> ‹kind›() is called inside a workflow body, but actions and workflows exist before any run starts.
>
> Declare it as a constant at the top level of the module, or use step("name", async () => …) in place.

Wrong:

\`\`\`ts
const greet = action("greet", async () => "hello");
return await greet();
\`\`\`

Right:

\`\`\`ts
const greet = action("greet", async () => "hello");

export default workflow("example", async () => {
  return await greet();
});
\`\`\`

[All diagnostics](README.md)
`,
  CAIRN5010: `# CAIRN5010: step() that cannot be lifted

*Declarations, error*

> ‹problem›.
>
> Write \`await step("name", async () => { … })\`, with the name as a string literal and the arrow in place.

The compiler lifts the arrow out of the body and makes it an action, so it must stand in the call.

Wrong:

\`\`\`ts
const work = async () => 1;
return await step("work", work);
\`\`\`

Right:

\`\`\`ts
return await step("work", async () => 1);
\`\`\`

[All diagnostics](README.md)
`,
};
