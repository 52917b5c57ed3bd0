// Writes the tables of docs/configuration.md from the list of settings (built before).
import { readFileSync, writeFileSync } from "node:fs";
import { withTables } from "../dist/settings/settings-page.js";

const page = new URL("../../../docs/configuration.md", import.meta.url);
writeFileSync(page, withTables(readFileSync(page, "utf8")));
