import { ResolverFactory } from "oxc-resolver";

/**
 * Where a module of the user's project stands, found as bundlers do: `paths` of the nearest tsconfig.json, `#names`
 * of package.json, `./x` and `./x.js` for `./x.ts`. Null for packages and built-in modules.
 */
export type ResolveModule = (specifier: string, importer: string) => string | null;

export function moduleResolver(): ResolveModule {
  const resolver = new ResolverFactory({
    tsconfig: "auto",
    // Packages are none of ours: nothing is looked up in node_modules.
    modules: [],
    extensions: [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json"],
    extensionAlias: {
      ".js": [".ts", ".tsx", ".js", ".jsx"],
      ".jsx": [".tsx", ".jsx"],
      ".mjs": [".mts", ".mjs"],
      ".cjs": [".cts", ".cjs"],
    },
    conditionNames: ["node", "import", "module", "default"],
  });
  return (specifier, importer) => {
    const path = resolver.resolveFileSync(importer, specifier).path ?? null;
    return path === null || isInPackage(path) ? null : path;
  };
}

export function isInPackage(path: string): boolean {
  return /[/\\]node_modules[/\\]/.test(path);
}
