/**
 * Owns: how many changes of something there were at the last look. They are counted just before they commit: so it is looked once
 * more the next time.
 */
export class ChangeCount {
  #last = 0;
  #again = false;

  /** Whether there may be something new. */
  isNews(changes: number): boolean {
    if (changes === this.#last && !this.#again) return false;
    this.#again = changes !== this.#last;
    this.#last = changes;
    return true;
  }
}
