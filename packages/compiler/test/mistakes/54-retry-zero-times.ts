import { action, workflow } from "cairnjs";

const charge = action("cards.charge", { retry: { attempts: 0 }, timeout: "30 sek" }, async (cents: number) => cents);

export default workflow("shop.pay", async (cents: number) => await charge(cents));
