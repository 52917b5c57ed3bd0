import { action, workflow } from "cairnjs";

export const charge = action("same", async () => 1);
export const again = action("same", async () => 2);
export const first = workflow("same", async () => 1);

export default workflow("same", async () => 2);
