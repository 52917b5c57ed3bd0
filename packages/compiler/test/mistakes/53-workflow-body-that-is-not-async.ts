import { action, workflow } from "cairnjs";

const load = action("pages.load", async (url: string) => url);

export default workflow("pages.load", (url: string) => load(url));
