export const format = (row: number) => row.toFixed(2);
