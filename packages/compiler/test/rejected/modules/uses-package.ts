import { chunk } from "lodash-es";

export function twice(n: number) {
  return chunk([n, n], 1);
}

export function unused() {
  return process.env;
}
