import { workflow } from "cairnjs";

const euros = new Intl.NumberFormat("de-DE", { style: "currency", currency: "EUR" });

export default workflow("invoice.total", async (total: number) => euros.format(total));
