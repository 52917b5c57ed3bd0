import { action, workflow } from "cairnjs";

const charge = action("charge", async (cents: number) => cents, { retry: { attempts: 3 } });

export default workflow("sample", async () => await charge(1), { tags: ["x"] });
