export function decimalToHexString(number) {
  return (number >>> 0).toString(16).toUpperCase().padStart(4, "0");
}

export function decimalToPercentHexString(number) {
  return `%${(number & 255).toString(16).toUpperCase().padStart(2, "0")}`;
}
