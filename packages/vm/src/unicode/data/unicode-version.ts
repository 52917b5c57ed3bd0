// Written by scripts/generate-unicode.mjs from the tables of Node 20; not to be edited.

export const UNICODE_VERSION = "17.0";
