import { Client } from "some-database";
import { workflow } from "cairnjs";

class Declined extends Error {}
const client = new Client();
const error = new Declined("x");
const known = new Map([["a", new Error("b")]]);

export default workflow("sample", async () => [client, error, known]);
