export function lowerEmptyStatement(): void {
  return undefined;
}
