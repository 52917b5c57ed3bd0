import type { Constant } from "@cairnjs/ir";

/** The tables that all functions of a program or prelude share; each entry once. */
export class Tables {
  readonly constants: Constant[] = [];
  readonly #constants = new Map<string, number>();
  readonly #intrinsics = new Map<string, number>();
  readonly #hosts = new Map<string, number>();

  string(value: string): number {
    return this.#constant(`s${value}`, value);
  }

  number(value: number): number {
    if (Number.isFinite(value) && !Object.is(value, -0)) return this.#constant(`n${value}`, value);
    const name = Object.is(value, -0) ? "-0" : (String(value) as "NaN" | "Infinity" | "-Infinity");
    return this.#constant(`n${name}`, { number: name });
  }

  bigint(digits: string): number {
    return this.#constant(`b${digits}`, { bigint: digits });
  }

  #constant(key: string, value: Constant): number {
    const known = this.#constants.get(key);
    if (known !== undefined) return known;
    this.#constants.set(key, this.constants.length);
    return this.constants.push(value) - 1;
  }

  intrinsic(path: string): number {
    return intern(this.#intrinsics, path);
  }

  host(name: string): number {
    return intern(this.#hosts, name);
  }

  get intrinsics(): string[] {
    return [...this.#intrinsics.keys()];
  }

  get hosts(): string[] {
    return [...this.#hosts.keys()];
  }
}

function intern(table: Map<string, number>, key: string): number {
  const known = table.get(key);
  if (known !== undefined) return known;
  table.set(key, table.size);
  return table.size - 1;
}
