import { workflow } from "cairnjs";

export default workflow("deploy.region", async () => process.env.REGION ?? "eu");
