import { step, workflow } from "cairnjs";

function helper(this: { x: number }) {
  return this.x;
}
const table = { arrow: () => this };

export default workflow("sample", async function (this: unknown) {
  const item = {
    price: 5,
    total() {
      const inner = () => this.price;
      function plain() {
        return this;
      }
      return [inner(), plain()];
    },
    old: function () {
      return this.price;
    },
    async stored() {
      return await step("read", async () => [this.price, arguments, new.target, super.toString]);
    },
    async fresh() {
      return await step("fresh", async () => ({ own() { return this; } }));
    },
  };
  return [this, helper.call({ x: 1 }), table, item];
});
