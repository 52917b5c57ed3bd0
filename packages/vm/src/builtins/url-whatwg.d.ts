/** The part that is used of whatwg-url 16, which ships no types. */
declare module "whatwg-url" {
  export type ParsedHost = string | number | number[];
  export function parseURL(input: string): { readonly host: ParsedHost | null } | null;
  export function serializeHost(host: ParsedHost): string;
}
