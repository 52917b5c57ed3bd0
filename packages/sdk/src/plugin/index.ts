import { createUnplugin, type UnpluginInstance } from "unplugin";
import { CompileFailed, warningsOf } from "../transform/compile-failed.ts";
import { ProjectFiles } from "../transform/project-files.ts";
import { transformModule } from "../transform/transform-module.ts";
import { Dependents } from "./dependents.ts";

export interface PluginOptions {
  /** What paths in compiled workflows are relative to; the current folder unless given. */
  readonly root?: string;
  /** Only modules whose paths match are compiled; all of the project unless given. */
  readonly include?: RegExp;
}

/**
 * For bundlers: `cairn.vite()`, `cairn.rollup()`, `cairn.rolldown()`, `cairn.esbuild()`, `cairn.webpack()`,
 * `cairn.rspack()`. It must see the source before anything else does: where a bundler has no `enforce`, put it first.
 */
const plugin: UnpluginInstance<PluginOptions | undefined, false> = createUnplugin((options) => {
  const project = new ProjectFiles(options?.root);
  const dependents = new Dependents();
  return {
    name: "cairnjs",
    enforce: "pre",
    buildStart: () => project.forget(),
    watchChange(id) {
      project.forget();
      dependents.changed(id);
    },
    vite: { configureServer: (server) => dependents.serve(Object.values(server.environments)) },
    transform: {
      filter: { id: { include: /\.[cm]?[jt]sx?(?:\?|$)/, exclude: [/[/\\]node_modules[/\\]/, /\0/] } },
      handler(code, id) {
        const path = id.replace(/\?.*$/, "");
        if (options?.include?.test(path) === false) return null;
        const made = transformModule(path, code, project, { typeChecked: true, minified: true });
        if (made === null) return null;
        for (const file of made.dependencies) this.addWatchFile(file);
        dependents.set(path, made.dependencies);
        try {
          const warnings = warningsOf(made.diagnostics, path, code, (file) => project.read(file));
          if (warnings !== null) this.warn(warnings);
        } catch (error) {
          if (!(error instanceof CompileFailed)) throw error;
          const [first] = error.diagnostics;
          const { file, line, column } = first ?? { file: path, line: 1, column: 1 };
          // Some bundlers throw here, others take note and go on.
          this.error({ message: error.message, id: path, loc: { file, line, column: column - 1 } });
          return null;
        }
        return made.map === null ? null : { code: made.code, map: made.map };
      },
    },
  };
});

export default plugin;
