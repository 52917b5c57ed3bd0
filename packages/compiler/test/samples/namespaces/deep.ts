export const RATE = 5;
export enum Size {
  Large = 3,
}
export function double(n: number): number {
  return n * 2;
}
