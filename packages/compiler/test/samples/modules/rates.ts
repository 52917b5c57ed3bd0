const table = { standard: 2, ["re" + "duced"]: 1 };
export const { standard: RATE, ...others } = table;
export const LIMIT = 10 as const;
