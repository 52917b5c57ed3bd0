import { workflow } from "cairnjs";

const total = price * 2;
const later = () => price;
class Derived extends Declined {}
class Declined extends Error {}
const price = 5;

export default workflow("sample", async () => [total, later(), new Derived(), price]);
