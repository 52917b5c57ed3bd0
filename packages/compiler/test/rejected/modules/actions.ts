import { action } from "cairnjs";

export const sync = action("sync", () => 1);
export const unused = action("unused", () => 1);
