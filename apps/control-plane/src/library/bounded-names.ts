/** What stands for all names beyond those that are told apart. */
const OTHER = "other";

/** The first so many names that come; further ones are one: users make names, and each costs whoever stores what is measured. */
export class BoundedNames {
  readonly #known = new Set<string>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  shown(name: string): string {
    if (this.#known.has(name)) return name;
    if (this.#known.size >= this.#max) return OTHER;
    this.#known.add(name);
    return name;
  }
}
