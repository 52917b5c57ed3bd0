export const NaNs = [NaN, Number.NaN, NaN * 0, 0 / 0, Infinity / Infinity, -(0 / 0), (-1) ** 0.5, Number("no number")];
