/** `Uint8Array` is the one typed array that workflows have. */
export const typedArrayConstructors = [Uint8Array];
export const intArrayConstructors = [Uint8Array];
export const TypedArray = Object.getPrototypeOf(Uint8Array);

export function testWithTypedArrayConstructors(use, selected) {
  for (const constructor of selected || [Uint8Array]) use(constructor);
}

export function testTypedArrayConversions({ values, expected }, use) {
  values.forEach((value, index) => {
    const wanted = expected.Uint8[index];
    use(Uint8Array, value, wanted, wanted === 0 ? 1 : 0);
  });
}
