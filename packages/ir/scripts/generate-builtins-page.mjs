// Writes docs/built-ins.md from the list of built-ins (built before).
import { writeFileSync } from "node:fs";
import { builtinsPage } from "../dist/builtins/page.js";

writeFileSync(new URL("../../../docs/built-ins.md", import.meta.url), builtinsPage());
