import { own } from "../CAIRN3010-circle.ts";

export const far: number = own + 1;
