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
  return filesIn(place).find((file) => folderOf(file) !== OWN_FOLDER) ?? null;
}

/** Without what development servers add to load a file again. */
function filesIn({ stack = "" }: Error): string[] {
  const places = stack.split("\n").map((line) => /(?:\(|at (?:async )?)([^()\s][^()]*?):\d+:\d+\)?$/.exec(line)?.[1]);
  const files = places.filter((file) => file !== undefined);
  return files.map((file) => file.replace(/^file:\/\//, "").replace(/\?.*$/, ""));
}

function folderOf(file: string): string {
  return file.slice(0, Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")));
}

/** Not by `import.meta`, which tools that make CommonJS of this package may not know. */
const [OWN_FILE = ""] = filesIn(new Error("here"));
const OWN_FOLDER = folderOf(OWN_FILE);
