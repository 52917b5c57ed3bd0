export function arrayContains(array, wanted) {
  return wanted.every((item) => array.indexOf(item) >= 0);
}
