import cairn from "cairnjs/plugin";

export default { plugins: [cairn.vite()], test: { include: ["*.test.mjs"] } };
