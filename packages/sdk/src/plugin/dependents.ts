/** What we use of an environment of Vite's server. */
interface Environment<Node> {
  readonly moduleGraph: {
    getModulesByFile(file: string): Iterable<Node> | undefined;
    invalidateModule(node: Node): void;
  };
}

/**
 * Owns: which modules were compiled from which others. Vite transforms a module again when a file changes that it
 * watches, but not if it imports that file too: then only its imports are renewed. A workflow's program has the code
 * of its helpers in it, so its module is made invalid here.
 */
export class Dependents {
  readonly #dependencies = new Map<string, readonly string[]>();
  #invalidate: (file: string) => void = () => {};

  set(path: string, dependencies: readonly string[]): void {
    this.#dependencies.set(path, dependencies);
  }

  serve<Node>(environments: readonly Environment<Node>[]): void {
    this.#invalidate = (file) => {
      for (const { moduleGraph } of environments) {
        for (const node of moduleGraph.getModulesByFile(file) ?? []) moduleGraph.invalidateModule(node);
      }
    };
  }

  changed(file: string): void {
    for (const [path, dependencies] of this.#dependencies) if (dependencies.includes(file)) this.#invalidate(path);
  }
}
