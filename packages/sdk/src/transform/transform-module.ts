import { createHash } from "node:crypto";
import { compile, type CompiledWorkflow, type Diagnostic, type SourceHooks } from "@cairnjs/compiler";
import type { SourceMap } from "magic-string";
import { editModule, type ModuleEdit } from "./edit-module.ts";
import { errorClassBindings, errorClassPlaces } from "./error-class-places.ts";
import { mentionsCairn, withoutMark } from "./project-files.ts";

export interface TransformHooks extends SourceHooks {
  /** A name for the file that says the same on every machine. */
  fileId(path: string): string;
  /** False only if the module certainly has nothing to do with `cairnjs`. */
  mayConcern(path: string, source: string): boolean;
}

export interface TransformOptions {
  /** What `definition.compiled.module` says; without it the file's id. */
  readonly module?: string;
  /** The next tool looks at types; what is added here has none. */
  readonly typeChecked?: boolean;
  /** The next tool may minify: error classes keep the names that they have in the source. */
  readonly minified?: boolean;
}

export interface TransformedModule {
  /** Still TypeScript if the source was. The source itself if there are errors or nothing is to be added. */
  readonly code: string;
  readonly map: SourceMap | null;
  /** Other modules that the result depends on. */
  readonly dependencies: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * A module as the user wrote it → the same with its workflows compiled and its steps lifted. null: it has nothing of
 * the kind. To be called before any other tool has changed the text.
 */
export function transformModule(
  path: string,
  text: string,
  hooks: TransformHooks,
  options: TransformOptions = {},
): TransformedModule | null {
  const source = withoutMark(text);
  const edit: ModuleEdit = {
    path,
    source,
    steps: [],
    workflows: [],
    keys: [],
    errorClasses: options.minified === true ? errorClassPlaces(path, source) : [],
    errors: new Map(),
    sources: new Map(),
    typeChecked: options.typeChecked === true && isTypeScript(path),
    id: "",
    module: "",
  };
  const nothing = { dependencies: [], diagnostics: [] };
  if (!hooks.mayConcern(path, source)) return finished(edit, nothing);
  const textOf = (file: string): string => (file === path ? source : hooks.read(file));
  const { workflows, diagnostics, modules, steps, keys } = compile(path, {
    resolve: (specifier, importer) => hooks.resolve(specifier, importer),
    read: textOf,
  });
  if (isSyntaxOfOthers(path, source, diagnostics)) return null;
  const about = { dependencies: modules.filter((id) => id !== path), diagnostics };
  if (diagnostics.some(({ severity }) => severity === "error")) return { code: source, map: null, ...about };
  if (workflows.length + steps.length + keys.length === 0) return finished(edit, { ...about, dependencies: [] });
  const moduleId = (file: string): string => `${hooks.fileId(file)}#${digest(textOf(file))}`;
  const embedded = workflows.map(({ call, ...workflow }) => ({
    call,
    embedded: embed(workflow, path, moduleId, hooks),
  }));
  const module = options.module ?? hooks.fileId(path);
  const classes = workflows.flatMap(({ program }) => program.classes.map(({ name }) => name));
  const errors = errorClassBindings(path, source, new Set(classes));
  const files = new Set(workflows.flatMap(({ program }) => program.debug.files));
  const sources = new Map([...files].map((file) => [hooks.fileId(file), textOf(file)]));
  const made = keys.map(({ start, end, program }) => ({ start, end, program: JSON.stringify(program) }));
  const whole = { ...edit, steps, workflows: embedded, keys: made, errors, sources };
  return finished({ ...whole, id: moduleId(path), module }, about);
}

function finished(
  edit: ModuleEdit,
  about: Pick<TransformedModule, "dependencies" | "diagnostics">,
): TransformedModule | null {
  const { source, steps, workflows, keys, errorClasses } = edit;
  if (workflows.length + steps.length + keys.length + errorClasses.length > 0) return { ...editModule(edit), ...about };
  return about.diagnostics.length === 0 ? null : { code: source, map: null, ...about };
}

function isTypeScript(path: string): boolean {
  return /\.[cm]?tsx?$/.test(path);
}

/** JSX in a `.js` file, say: whoever transforms the module next may know the syntax, or will report it. */
function isSyntaxOfOthers(path: string, source: string, diagnostics: readonly Diagnostic[]): boolean {
  const isBroken = diagnostics.some(({ code, file }) => code === "CAIRN1001" && file === path);
  return isBroken && !(mentionsCairn(source) && isTypeScript(path));
}

/** Files by their ids; whatever else the compiler says of the workflow is passed on as it is. */
function embed(
  { program, name: _name, exportName: _exportName, ...about }: Omit<CompiledWorkflow, "call">,
  path: string,
  moduleId: (file: string) => string,
  hooks: TransformHooks,
): object {
  const steps = program.steps.map((step) => ({ ...step, file: hooks.fileId(step.file) }));
  const files = program.debug.files.map((file) => hooks.fileId(file));
  const others = new Set(program.steps.map(({ file }) => file).filter((file) => file !== path));
  const modules = Object.fromEntries([...others].map((file) => [hooks.fileId(file), moduleId(file)]));
  const relocated = { ...program, steps, debug: { ...program.debug, files } };
  return { ...about, modules, program: JSON.stringify(relocated) };
}

const DIGEST_DIGITS = 12;

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, DIGEST_DIGITS);
}
