import { workflow } from "cairnjs";

export default workflow("rates.convert", async (amount: number) => {
  const response = await fetch("https://api.example.com/rates");
  const rates = await response.json();
  return amount * rates.EUR;
});
