import { workflow } from "cairnjs";

export default workflow("tokens.hash", async (text: string) => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest);
});
