import { action, workflow } from "cairnjs";

export const charge = action("", async () => 1);

const named = async () => 1;
export const second = workflow("", named);

export default workflow("", async () => 1);
