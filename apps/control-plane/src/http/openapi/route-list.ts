import type { FastifyInstance } from "fastify";
import type { ZodType } from "zod";
import type { RouteScope } from "../rest.ts";

/** What a route takes and answers, by schemas of Zod. */
interface RouteSchemas {
  readonly params?: ZodType;
  readonly querystring?: ZodType;
  readonly headers?: ZodType;
  readonly body?: ZodType;
  readonly response?: Readonly<Record<string, ZodType>>;
}

export interface KnownRoute {
  readonly method: string;
  /** With the names of its parameters, as Fastify has it: `/v1/runs/:id`. */
  readonly url: string;
  /** What it takes to ask for it. */
  readonly scope: RouteScope;
  readonly schemas: RouteSchemas;
}

/** All routes of a server, as they are added: what there is cannot differ from what is said of it. One that does not say who may ask is a mistake. */
export class RouteList {
  readonly #routes: KnownRoute[] = [];
  readonly #patterns = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();

  /** Before any route is added. */
  constructor(app: FastifyInstance) {
    app.addHook("onRoute", ({ method, url, schema, config }) => {
      const scope = config?.scope;
      // What browsers ask before they ask is answered by plugins.
      if (scope === undefined && method === "OPTIONS") return;
      if (scope === undefined) throw new Error(`${String(method)} ${url} has no scope`);
      for (const one of [method].flat()) {
        this.#allow(one, url);
        if (one === "HEAD" || one === "OPTIONS") continue;
        this.#routes.push({ method: one, url, scope, schemas: (schema ?? {}) as RouteSchemas });
      }
    });
  }

  get all(): readonly KnownRoute[] {
    return this.#routes;
  }

  /** What there is at a path, whatever the method; empty: nothing. */
  methodsAt(path: string): string[] {
    const methods = new Set<string>();
    for (const { pattern, methods: some } of this.#patterns.values()) {
      if (pattern.test(path)) for (const method of some) methods.add(method);
    }
    return methods.size === 0 ? [] : [...methods, "OPTIONS"].toSorted();
  }

  #allow(method: string, url: string): void {
    const escaped = url.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/:[A-Za-z]+/g, "[^/]+");
    const known = this.#patterns.get(url) ?? { pattern: new RegExp(`^${escaped}$`), methods: new Set() };
    known.methods.add(method);
    this.#patterns.set(url, known);
  }
}
