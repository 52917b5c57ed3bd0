/** It was made at the start of its scope; see the visitor of the same name among the expressions. */
export function lowerFunctionDeclaration(): void {
  return undefined;
}
