import { action, workflow } from "cairnjs";

const a = action("a", async (n: number) => n);
const b = action("b", async (n: number) => n);
const c = action("c", async (n: number) => n);

enum Size {
  Small,
  Large,
}

/** The first falls into the second, and without a `default` all may be passed by. */
export const falling = workflow("falling", async (n: number) => {
  switch (n) {
    case 1:
      await a(n);
    case 2:
    case 3:
      await b(n);
      break;
    case Size.Large + 3:
      if (n > 0) break;
      await c(n);
  }
  return a(0);
});

/** `default` in the middle is reached when no test holds, and falls on. */
export const middle = workflow("middle", async (size: Size) => {
  switch (size) {
    case Size.Small:
      return a(1);
    default:
      await b(1);
    case Size.Large:
      await c(1);
  }
  return 0;
});

/** A `break` in a switch leaves the switch, `continue` and labels mean the loop. */
export const looped = workflow("looped", async (words: string[]) => {
  loop: for (const word of words) {
    switch (word) {
      case "skip":
        continue;
      case "stop":
        break loop;
      case "":
      case "a":
      case "an":
      case "the":
        await a(0);
        break;
      case "a word that is longer than anyone wants to read in a graph":
        throw new Error(word);
      default:
        await b(0);
        return;
    }
    await c(0);
  }
});

/** Tests run one after the other until one holds. */
export const tests = workflow("tests", async (n: number) => {
  switch (n) {
    case await a(1):
      await b(1);
      break;
    case await a(2):
      await b(2);
  }
});
