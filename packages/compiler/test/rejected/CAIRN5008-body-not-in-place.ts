import { workflow } from "cairnjs";

const bodies = { sample: async () => 1 };

export default workflow("sample", bodies.sample);
