import { workflow } from "cairnjs";

const REGION = process.env.REGION ?? "eu";

export default workflow("deploy.region", async () => REGION);
