/** Lone surrogates: Node 20 has these methods, the language level of our own source has not. */
export function isWellFormed(text: string): boolean {
  return nextLoneSurrogate(text, 0) < 0;
}

export function toWellFormed(text: string): string {
  let result = "";
  let start = 0;
  for (let lone = nextLoneSurrogate(text, 0); lone >= 0; lone = nextLoneSurrogate(text, start)) {
    result += `${text.slice(start, lone)}\ufffd`;
    start = lone + 1;
  }
  return result + text.slice(start);
}

function nextLoneSurrogate(text: string, start: number): number {
  for (let index = start; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if ((unit & 0xf800) !== 0xd800) continue;
    if (unit >= 0xdc00 || (text.charCodeAt(index + 1) & 0xfc00) !== 0xdc00) return index;
    index++;
  }
  return -1;
}
