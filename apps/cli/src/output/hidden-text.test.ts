import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { hiddenText } from "./hidden-text.ts";

function given(isTTY: boolean, ...chunks: (string | Buffer)[]): Promise<string> {
  const input = Object.assign(new PassThrough(), { isTTY });
  const text = hiddenText("", "cairn secrets set key", input as unknown as NodeJS.ReadStream);
  for (const chunk of chunks) input.write(chunk);
  if (!isTTY) input.end();
  return text;
}

it("what is piped is the secret, letter by letter, without the last line break", async () => {
  expect(await given(false, "\u{feff}a\r\nключ\n\n")).toBe("\u{feff}a\r\nключ\n");
  const letter = Buffer.from("ü");
  expect(await given(false, letter.subarray(0, 1), letter.subarray(1))).toBe("ü");
});

it("what is no UTF-8 is refused, with what to do", async () => {
  await expect(given(false, Buffer.from([0xff, 0xfe]))).rejects.toThrow(
    "no text in UTF-8, and a secret is one: base64 -w0 FILE | cairn secrets set key",
  );
});

it("one line that is typed or pasted is the secret", async () => {
  expect(await given(true, "corr", "ect horse\r")).toBe("correct horse");
  expect(await given(true, "pasted\r\r")).toBe("pasted");
});

it("several lines that are pasted are refused, however they come, and not their first is taken", async () => {
  const refused = "a secret of several lines cannot be typed, and nothing was set: cairn secrets set key < FILE";
  await expect(given(true, "-----BEGIN KEY-----\rMIIE\rAAAA\r-----END KEY-----\r")).rejects.toThrow(refused);
  await expect(given(true, "-----BEGIN KEY-----\r", "MIIE")).rejects.toThrow(refused);
});
