import { workflow } from "cairnjs";

declare const BUILD: string;
declare function loaded(): boolean;

export default workflow("sample", async () => [BUILD, loaded()]);
