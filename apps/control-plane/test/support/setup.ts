import { afterEach } from "vitest";
import { cleanAllUp } from "./cleanups.ts";

// Modules are loaded once for many test files; this is done for each of them.
afterEach(cleanAllUp);
