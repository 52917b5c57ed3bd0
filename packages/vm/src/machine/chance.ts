/** The generator behind `Math.random` and `crypto.randomUUID`: sfc32, whose state is part of the snapshot. */
export type ChanceState = [number, number, number, number];

export function seedChance(seed: string): ChanceState {
  // FNV-1a over the seed's code units gives the three words; sixteen rounds mix them.
  const state: ChanceState = [hash(seed, 0x811c9dc5), hash(seed, 0x01000193), hash(seed, 0x9e3779b9), 1];
  for (let round = 0; round < 16; round++) draw(state);
  return state;
}

/** 32 random bits. */
export function draw(state: ChanceState): number {
  const [a, b, c, counter] = state;
  const sum = (a + b + counter) | 0;
  state[3] = (counter + 1) | 0;
  state[0] = b ^ (b >>> 9);
  state[1] = (c + (c << 3)) | 0;
  state[2] = (((c << 21) | (c >>> 11)) + sum) | 0;
  return sum >>> 0;
}

/** In [0, 1), with 53 random bits. */
export function drawFraction(state: ChanceState): number {
  const high = draw(state) >>> 5;
  const low = draw(state) >>> 6;
  return (high * 67108864 + low) / 9007199254740992;
}

function hash(text: string, basis: number): number {
  let value = basis;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value | 0;
}
