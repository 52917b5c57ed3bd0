/** An overload or a `declare function`: only types see it. */
export function lowerTSDeclareFunction(): void {
  return undefined;
}
