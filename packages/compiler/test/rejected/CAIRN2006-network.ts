import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  const response = await fetch("https://example.com");
  return [response, new WebSocket("ws://example.com"), new Headers(), new Response("ok"), new Blob()];
});
