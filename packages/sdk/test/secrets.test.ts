import { action, currentCall, depends, SecretMissing, secret, sealed, type Sealed, workflow } from "cairnjs";
import { testRun } from "cairnjs/testing";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { redactEncoded, redactingLog, redactText } from "../src/redact.ts";
import { secretNames } from "../src/secret.ts";
import { confide, confiding, peeking } from "./workflows/confiding.ts";

describe("secret()", () => {
  it("gives a handler the text, in tests those of the test", async () => {
    const run = testRun(confiding, { input: "ada", secrets: { "api-key": "k-1" } });
    expect(await run.result).toBe("ada with 3 letters");
    await expect(testRun(confiding, { input: "ada" }).result).rejects.toThrow('secrets: { "api-key": "…" }');
    await expect(confide("ada")).rejects.toThrow(SecretMissing);
  });

  it("is typed as what it is, and what needs it is found, at any depth", () => {
    const client = depends(({ key }: { readonly key: string }) => key.length, { needs: { key: secret("deep") } });
    action(
      "sdk.secrets.typed",
      { needs: { key: secret("near"), client } },
      async (name: string, { key, client: length }) => {
        expectTypeOf(key).toEqualTypeOf<string>();
        expectTypeOf(length).toEqualTypeOf<number>();
        // @ts-expect-error -- it was not declared
        (await Promise.resolve({ key })).other;
        return name;
      },
    );
    expect(secretNames("x", { key: secret("near"), client, again: secret("near") })).toEqual(["near", "deep"]);
  });

  it("is refused where it cannot be right", () => {
    for (const name of ["", "a b", "a/b", "x".repeat(201)]) expect(() => secret(name)).toThrow("the name of a secret");
    const needs = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`s${n}`, secret(`s-${n}`)]));
    expect(() => action("sdk.secrets.many", { needs }, async (_given) => 1)).toThrow("at most 10");
  });

  it("is not shown by what a handler throws in a test", async () => {
    const run = testRun(confiding, { input: "throw", secrets: { "api-key": "k-secret-1" } });
    await expect(run.result).rejects.toThrow("refused ***");
  });
});

describe("redaction", () => {
  const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });

  it("leaves no secret in a text, an encoded value or a log, and the rest of the value as it was", () => {
    fc.assert(
      fc.property(
        fc.array(
          text.filter((each) => !each.includes("*") && each.length > 2),
          { minLength: 1, maxLength: 3 },
        ),
        text,
        (values, other) => {
          const secrets = new Map(values.map((value, index) => [String(index), value]));
          const message = values.join(other);
          const hasNone = (shown: string): boolean => values.every((value) => !shown.includes(value));
          expect(hasNone(redactText(message, secrets))).toBe(true);
          const json = JSON.stringify({
            $error: { names: ["Error"], message, props: { a: [-1, 1.5, null, message] } },
          });
          const redacted = JSON.parse(redactEncoded(json, secrets)) as {
            $error: { message: string; props: { a: unknown[] } };
          };
          expect(hasNone(redacted.$error.message)).toBe(true);
          expect(redacted.$error.props.a.slice(0, 3)).toEqual([-1, 1.5, null]);
          const lines: string[] = [];
          const write = (line: string, details?: unknown): void => void lines.push(line, ...textsIn(details));
          const log = redactingLog({ debug: write, info: write, warn: write, error: write }, secrets);
          log.info(message, {
            list: [message],
            error: Object.assign(new Error(message, { cause: message }), { message2: message }),
          });
          expect(lines.length).toBeGreaterThan(4);
          // Letters of other things in a line, such as the path in a stack, may be those of a short secret.
          for (const line of lines) expect(hasNone(line)).toBe(true);
        },
      ),
    );
  });

  it("leaves no secret as others have it: in base64 with a name before it, in hex, escaped, trimmed, or a line of it", () => {
    const line = "MIIEvQIBADANBgkqhkiG9w0B/+?>~ü";
    const secret = `-----BEGIN KEY-----\n${line}\n-----END KEY-----\n`;
    const secrets = new Map([["key", secret]]);
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    for (const [around, other] of ["", "u:", "user:", "a", "\u{1f511}"].map((each) => [each, `${each}z`] as const)) {
      for (const encoding of ["base64", "base64url", "hex"] as const) {
        const shown = redactText(Buffer.from(`${around}${secret}${other}`).toString(encoding), secrets);
        expect(shown).toContain("***");
        // What is left is of what stands around it: at most a letter and the bits beside it.
        expect(shown.replace("***", "").length).toBeLessThanOrEqual(2 * Buffer.byteLength(around + other) + 8);
      }
    }
    const forms = [
      secret.trim(),
      JSON.stringify(secret),
      `: ${line}\r`,
      encodeURI(secret),
      base64(secret),
      base64(secret.trim()),
    ];
    for (const form of forms) {
      const shown = redactText(`before ${form} after`, secrets);
      expect(shown).toMatch(/^before .*\*\*\*.* after$/s);
      for (const part of [line, base64(line).slice(4, 20), "MIIEvQ"]) expect(shown).not.toContain(part);
    }
    const quoted = 'p4ss"w0rd\\of\nmine';
    let json: unknown = { password: quoted };
    for (let level = 1; level <= 3; level++) {
      json = JSON.stringify(json);
      const shown = redactText(`535 ${json as string}`, new Map([["quoted", quoted]]));
      expect(shown).toContain("***");
      expect(shown).not.toMatch(/p4ss|w0rd|mine/);
    }
    // What would be found in every other word is not looked for.
    expect(redactText("a word", new Map([["short", "or"]]))).toBe("a word");
  });

  it("leaves what has no secrets letter by letter", () => {
    const json = '{"a":-0, "b":1.50,"c":"\\u0041"}';
    expect(redactEncoded(json, new Map([["x", "nowhere"]]))).toBe(json);
    expect(redactEncoded(json, undefined)).toBe(json);
    expect(redactEncoded('{"message":"message"}', new Map([["x", "message"]]))).toBe('{"message":"***"}');
  });
});

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (value instanceof Error)
    return [value.message, value.stack ?? "", ...textsIn(value.cause), ...textsIn({ ...value })];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe("sealed()", () => {
  const weigh = action("sdk.sealed.weigh", async (parcel: { readonly what: Sealed<string> }) => {
    currentCall().log.debug("weighed");
    return { grams: parcel.what.value.length, what: sealed(parcel.what.value.toUpperCase()) };
  });
  const send = workflow("sdk.sealed.send", async (what: unknown) => weigh({ what: what as Sealed<string> }));

  it("is opened by actions that are called as plain functions", async () => {
    const { grams, what } = await send(sealed("a book"));
    expect([grams, what.value]).toEqual([6, "A BOOK"]);
    expectTypeOf(what).toEqualTypeOf<Sealed<string>>();
    expect([String(what), JSON.stringify({ what })]).toEqual(["[sealed]", '{"what":"[sealed]"}']);
  });

  it("is passed on by bodies in tests, which cannot look into it", async () => {
    const run = testRun(peeking, { input: { what: sealed("a book"), peeks: false }, restoreEverywhere: true });
    expect(((await run.result) as Sealed<string>).value).toBe("A BOOK");
    await expect(testRun(peeking, { input: { what: sealed("a book"), peeks: true } }).result).rejects.toThrow(
      "other than passing it on",
    );
  });
});
