/**
 * Where something was declared: the file of the first frame that is not of this package. Kept as an error, whose stack is
 * only made into text when it is asked for; that is rare, and takes longer than all the rest of a declaration.
 */
export type DeclarationPlace = Error;

export function declarationPlace(): DeclarationPlace {
  return new Error("declared here");
}

/** Null if it cannot be told: in a bundle everything is in one file. */
export function fileOf(place: DeclarationPlace): string | null {
  return framesIn(place).find(isOfOthers)?.file ?? null;
}

/** By the file's name, or by what V8 calls the code of such a module. Test runners give all modules that form. */
export function isCommonJs(place: DeclarationPlace): boolean {
  const file = fileOf(place);
  if (file === null || /\.m[jt]s$/.test(file)) return false;
  return /\.c[jt]s$/.test(file) || framesIn(place).some((each) => each.file === file && each.isModuleFunction);
}

interface Frame {
  readonly file: string;
  /** The function that Node.js makes of a CommonJS module. */
  readonly isModuleFunction: boolean;
}

/** Without what development servers add to load a file again. */
function framesIn({ stack = "" }: Error): Frame[] {
  return stack.split("\n").flatMap((line) => {
    const file = /(?:\(|at (?:async )?)([^()\s][^()]*?):\d+:\d+\)?$/.exec(line)?.[1];
    if (file === undefined) return [];
    const path = file.replace(/^file:\/\//, "").replace(/\?.*$/, "");
    return [{ file: path, isModuleFunction: line.includes("at Object.<anonymous> (") }];
  });
}

function isOfOthers({ file }: Frame): boolean {
  return folderOf(file) !== OWN_FOLDER;
}

function folderOf(file: string): string {
  return file.slice(0, Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")));
}

/** Not by `import.meta`, which tools that make CommonJS of this package may not know. */
const OWN_FOLDER = folderOf(framesIn(new Error("here"))[0]?.file ?? "");
