/** WhiteSpace or LineTerminator of ECMA-262: what trim() removes and \s matches. All are code units. */
export function isWhiteSpace(codeUnit: number): boolean {
  if (codeUnit < 0x80) return codeUnit === 0x20 || (codeUnit >= 0x09 && codeUnit <= 0x0d);
  switch (codeUnit) {
    case 0xa0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202f:
    case 0x205f:
    case 0x3000:
    case 0xfeff:
      return true;
    default:
      return codeUnit >= 0x2000 && codeUnit <= 0x200a;
  }
}

export function isLineTerminator(codeUnit: number): boolean {
  return codeUnit === 0x0a || codeUnit === 0x0d || codeUnit === 0x2028 || codeUnit === 0x2029;
}
