import { expect, it } from "vitest";
import { AwakeClock } from "../../src/hub/awake-clock.ts";

it("goes with the time as long as it is looked at, and hardly on while nobody does", () => {
  let real = 5_000;
  const clock = new AwakeClock(() => real);
  for (let step = 0; step < 50; step++) {
    real += 20;
    clock.tick();
  }
  real += 15;
  expect(clock.now()).toBe(1_015);
  real += 60_000;
  expect(clock.now()).toBe(1_250);
  clock.tick();
  expect(clock.now()).toBe(1_250);
  real += 20;
  expect(clock.now()).toBe(1_270);
});
