/** The docs' pages on diagnostics become part of the package, so that the address in a diagnostic leads to its page. */
import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
cpSync(path("../../../docs/errors"), path("../errors"), { recursive: true });
// One of them names the list of built-ins.
cpSync(path("../../../docs/built-ins.md"), path("../errors/built-ins.md"));
