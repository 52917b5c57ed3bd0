import { action, workflow } from "cairnjs";

export const charge = action("", async () => 1);

export default workflow("", async () => 1);
