import { workflow } from "cairnjs";

export default workflow("orders.state", async () => {
  enum State {
    Open,
    Shipped,
  }
  return State.Open;
});
