import type { ServedRoute } from "../../src/http/http-server.ts";
import { documentOf, operationsOf } from "../support/open-api.ts";
import type { RestBed } from "../support/test-rest.ts";
import { CASES, type Sent } from "./response-cases.ts";
import { World } from "./response-world.ts";

/** Files of the page at `/docs`: no operations. */
const FILES = new Set(["GET /docs/page.css", "GET /docs/page.js"]);

/** For each route a request that is right, of something that is there for it: whoever may make it succeeds. */
export class AllowedRequests {
  readonly #world: World;
  readonly #ids: ReadonlyMap<string, string>;

  static async open(rest: RestBed): Promise<AllowedRequests> {
    const operations = operationsOf(await documentOf(rest.plane.httpPort!));
    const ids = new Map(operations.map(({ id, method, route }) => [`${method} ${route}`, id]));
    return new AllowedRequests(new World(rest), ids);
  }

  private constructor(world: World, ids: ReadonlyMap<string, string>) {
    this.#world = world;
    this.#ids = ids;
  }

  /** A run that waits for signals. */
  living(): Promise<string> {
    return this.#world.living();
  }

  /** Another one each time: what it is about may be over once it was made. */
  async make({ method, path }: ServedRoute): Promise<Sent> {
    const what = `${method} ${path}`;
    if (FILES.has(what)) return { url: path };
    const cases = Object.entries(CASES[this.#ids.get(what) ?? ""] ?? {});
    const success = cases.find(([status]) => status.startsWith("2"))?.[1];
    if (success === undefined) throw new Error(`${what} has no case with a success: add it to response-cases.ts`);
    return success(this.#world);
  }
}
