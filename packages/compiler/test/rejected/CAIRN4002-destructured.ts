import { action, workflow } from "cairnjs";

const tools = { charge: action("charge", async () => 1), helper: async () => 1, plain: () => 1 };
const { charge: pay, helper } = tools;

export default workflow("sample", async () => {
  const { plain, helper: own = plain } = tools;
  const { helper: mine } = { helper: async () => 1 };
  pay();
  helper();
  mine();
  plain();
  own();
});
