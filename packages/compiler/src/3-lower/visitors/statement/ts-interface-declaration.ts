export function lowerTSInterfaceDeclaration(): void {
  return undefined;
}
