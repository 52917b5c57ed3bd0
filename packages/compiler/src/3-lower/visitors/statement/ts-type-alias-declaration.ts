export function lowerTSTypeAliasDeclaration(): void {
  return undefined;
}
