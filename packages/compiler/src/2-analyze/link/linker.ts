import { isV8Global } from "@cairnjs/ir";
import type {
  CallExpression,
  Class,
  Expression,
  Function,
  MemberExpression,
  Node,
  VariableDeclarator,
} from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";
import type { Global, Names, Resolution } from "../resolution.ts";
import type { Binding } from "../scope/binding.ts";
import { freeVariables } from "../scope/captures.ts";
import { CAIRN, cairnExport, unknown } from "./cairn-exports.ts";
import { enumMembers, type EnumMembers } from "./enum.ts";
import type { ImportTarget, Module } from "./module.ts";
import type { ModuleCache } from "./module-cache.ts";
import { Modules, type SourceHooks } from "./modules.ts";
import { isAtModuleLevel, isFunction, memberName } from "./shape.ts";
import { staticString } from "./static-value.ts";

/** Knows what each name in a module stands for. */
export class Linker implements Names {
  readonly modules: Modules;
  readonly #meanings = new Map<Binding | Node, Resolution>();
  readonly #enums = new Map<Global, EnumMembers>();

  constructor(hooks: SourceHooks, cache?: ModuleCache) {
    this.modules = new Modules(hooks, cache);
  }

  resolve(module: Module, node: Node): Resolution | null {
    if (node.type === "Identifier") return this.#resolveName(module, node);
    if (node.type === "MemberExpression") return this.#resolveMember(module, node);
    return null;
  }

  #resolveName(module: Module, node: Extract<Node, { type: "Identifier" }>): Resolution | null {
    const reference = module.scopes.references.get(node);
    if (reference === undefined) return null;
    const { binding, name } = reference;
    if (binding === null) return isV8Global(name) ? { kind: "intrinsic", path: name } : unknown(name, "undeclared");
    if (binding.kind === "ambient") return unknown(name, "ambient");
    if (binding.scope.kind !== "module") return { kind: "local", binding };
    return this.#meaningOf(module, binding);
  }

  #resolveMember(module: Module, node: MemberExpression): Resolution | null {
    const object = erase(node.object);
    const key = memberName(node);
    if (key === null || (object.type !== "Identifier" && object.type !== "MemberExpression")) return null;
    const base = this.resolve(module, object);
    if (base?.kind === "namespace") {
      return base.module === null ? cairnExport(key) : this.#exportOf(base.module, key, new Set());
    }
    if (base?.kind !== "global" || base.global.declaration.kind !== "enum") return null;
    const value = this.membersOf(base.global).get(key);
    if (value === undefined) return null;
    return value === null ? unknown(`${base.global.name}.${key}`, "enum") : { kind: "value", value };
  }

  /** The global that a module-level variable is, null when it is none. */
  globalOf(module: Module, binding: Binding): Global | null {
    const meaning = this.#meaningOf(module, binding);
    return meaning.kind === "global" ? meaning.global : null;
  }

  membersOf(global: Global): EnumMembers {
    const known = this.#enums.get(global);
    if (known !== undefined) return known;
    const members = enumMembers(global, this);
    this.#enums.set(global, members);
    return members;
  }

  #meaningOf(module: Module, binding: Binding): Resolution {
    return this.#once(binding, binding.name, () => this.#findMeaning(module, binding));
  }

  /** While a meaning is being found, asking for it again is a circle of constants. */
  #once(key: Binding | Node, name: string, find: () => Resolution): Resolution {
    const known = this.#meanings.get(key);
    if (known !== undefined) return known;
    this.#meanings.set(key, unknown(name, "circle"));
    const meaning = find();
    this.#meanings.set(key, meaning);
    return meaning;
  }

  #findMeaning(module: Module, binding: Binding): Resolution {
    const { name, declaration } = binding;
    switch (binding.kind) {
      case "import": {
        const target = module.imports.get(name);
        return target === undefined ? unknown(name, "module") : this.#imported(module, target, new Set());
      }
      case "function":
        return this.#globalFunction(module, name, binding, declaration as Function);
      case "class":
        return globalOf(module, name, binding, {
          what: "class",
          declaration: { kind: "class", node: declaration as Class },
        });
      case "enum": {
        const nodes = [declaration, ...binding.redeclarations].filter((node) => node.type === "TSEnumDeclaration");
        return globalOf(module, name, binding, { what: "enum", declaration: { kind: "enum", nodes } });
      }
      case "namespace":
        return unknown(name, "declaration");
      default:
        return this.#variable(module, binding, declaration as VariableDeclarator);
    }
  }

  #variable(module: Module, binding: Binding, { id, init }: VariableDeclarator): Resolution {
    if (init === null) return unknown(binding.name, "uninitialised");
    if (id.type === "Identifier") return this.#initialised(module, binding.name, binding, init, id);
    return globalOf(module, binding.name, binding, {
      what: "constant",
      declaration: { kind: "constant", pattern: id, init },
    });
  }

  /** A constant by its initialiser: something durable, a helper, another name for something, or a value. */
  #initialised(module: Module, name: string, binding: Binding | null, init: Expression, id: Node | null): Resolution {
    const bare = erase(init);
    if (bare.type === "CallExpression") {
      const durable = this.durableDeclaration(module, bare);
      if (durable !== null) return durable;
    }
    if (bare.type === "ArrowFunctionExpression" || bare.type === "FunctionExpression") {
      return this.#globalFunction(module, name, binding, bare);
    }
    if (binding?.kind !== "let" && binding?.kind !== "var") {
      const same = this.resolve(module, bare);
      if (same !== null && same.kind !== "intrinsic" && same.kind !== "local") return same;
    }
    return globalOf(module, name, binding, { what: "constant", declaration: { kind: "constant", pattern: id, init } });
  }

  #globalFunction(
    module: Module,
    name: string,
    binding: Binding | null,
    node: Function | Extract<Node, { type: "ArrowFunctionExpression" }>,
  ): Resolution {
    return globalOf(module, name, binding, {
      what: "helper",
      async: node.async,
      declaration: { kind: "function", node },
    });
  }

  /** `action("name", …)`, `workflow("name", …)`, `signal("name")`; null for any other call. */
  durableDeclaration(module: Module, node: CallExpression): Resolution | null {
    const callee = this.resolve(module, erase(node.callee));
    let durable: "action" | "workflow" | "signal";
    if (callee?.kind === "primitive" && (callee.name === "action" || callee.name === "workflow")) durable = callee.name;
    else if (callee?.kind === "durable" && callee.durable === "signal" && callee.declaration === null)
      durable = "signal";
    else return null;
    const [first] = node.arguments;
    const name = first === undefined || first.type === "SpreadElement" ? null : staticString(first, module, this);
    if (name === null) return unknown(durable, "name");
    return { kind: "durable", durable, name, declaration: node, module };
  }

  /** `seen` ends circles of re-exports: `export { x } from "./a.ts"` in a.ts itself. */
  #imported(module: Module, { specifier, name }: ImportTarget, seen: Set<string>): Resolution {
    if (specifier === CAIRN) {
      return name === "*" ? { kind: "namespace", specifier, module: null } : cairnExport(name);
    }
    const target = this.modules.follow(module, specifier);
    const shown = name === "*" || name === "default" ? specifier : name;
    if (typeof target === "string") return unknown(shown, target);
    if (target.problems.length > 0) return unknown(shown, "module", target);
    if (name === "*") return { kind: "namespace", specifier, module: target };
    return this.#exportOf(target, name, seen);
  }

  #exportOf(module: Module, name: string, seen: Set<string>): Resolution {
    const key = `${module.id}\n${name}`;
    if (seen.has(key)) return unknown(name, "export");
    seen.add(key);
    const target = module.exports.get(name);
    if (target === undefined) return this.#starExport(module, name, seen);
    if (target.kind === "from") return this.#imported(module, target, seen);
    if (target.kind === "default") {
      return this.#once(target.node, "default", () => this.#anonymousDefault(module, target.node));
    }
    const binding = module.scopes.module.bindings.get(target.name);
    return binding === undefined ? unknown(name, "export") : this.#meaningOf(module, binding);
  }

  #starExport(module: Module, name: string, seen: Set<string>): Resolution {
    if (name === "default") return unknown(name, "export");
    for (const specifier of module.stars) {
      const found = specifier === CAIRN ? cairnExport(name) : this.#exportThrough(module, specifier, name, seen);
      if (found.kind !== "unknown" || (found.why !== "export" && found.why !== "cairn")) return found;
    }
    return unknown(name, "export");
  }

  #exportThrough(module: Module, specifier: string, name: string, seen: Set<string>): Resolution {
    const target = this.modules.follow(module, specifier);
    const isReadable = typeof target !== "string" && target.problems.length === 0;
    return isReadable ? this.#exportOf(target, name, seen) : unknown(name, "export");
  }

  #anonymousDefault(module: Module, node: Node): Resolution {
    switch (node.type) {
      case "FunctionDeclaration":
        return this.#globalFunction(module, "default", null, node);
      case "ClassDeclaration":
        return globalOf(module, "default", null, {
          what: "class",
          declaration: { kind: "class", node },
        });
      default:
        return this.#initialised(module, "default", null, node as Expression, null);
    }
  }

  isOpaque(module: Module, node: Node): boolean {
    const call = module.scopes.parents.get(node);
    if (call?.type !== "CallExpression" || call.callee === node) return false;
    const callee = this.resolve(module, erase(call.callee));
    if (callee?.kind === "primitive") {
      if (callee.name === "step") return isFunction(node);
      return callee.name === "action" || callee.name === "workflow";
    }
    if (callee?.kind !== "durable" || callee.durable !== "signal" || callee.declaration !== null) return false;
    return isAtModuleLevel(module, call);
  }

  stepCaptures(module: Module, arrow: Node): readonly Binding[] {
    return freeVariables(module.scopes, arrow);
  }

  isStepArrow(module: Module, node: Node): boolean {
    return isFunction(node) && this.isOpaque(module, node);
  }
}

function globalOf(
  module: Module,
  name: string,
  binding: Binding | null,
  about: Pick<Global, "what" | "declaration"> & { readonly async?: boolean },
): Resolution {
  return { kind: "global", global: { module, name, binding, async: false, ...about } };
}
