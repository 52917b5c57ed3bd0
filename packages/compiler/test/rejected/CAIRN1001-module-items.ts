import { workflow } from "cairnjs";

interface Order {}
type Id = string;
enum Size {
  Small,
}
namespace Size {
  export const all = 1;
}
var rate = 1;

export { rate, Order, type Id, Size };
export { rate };
export { undeclared, Number as count };
export default workflow("sample", async () => {
  import late from "./modules/rates.ts";
});
export { rate as default };
if (rate) {
  export const inner = 1;
}
const helper = () => {
  export default null;
};
