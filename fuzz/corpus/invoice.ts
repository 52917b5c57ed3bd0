import { action, workflow } from "cairnjs";

/** Money in tenths of a cent, as bigint. */
type Money = bigint;

enum Tax {
  None,
  Reduced = 7,
  Full = 19,
}

enum Currency {
  Euro = "EUR",
  Yen = "JPY",
}

interface Position {
  text: string;
  quantity: number;
  price: string;
  tax: Tax;
  discountPercent?: number;
}

const nextNumber = action("nextNumber", async (year: number) => `${year}-000${year % 7}`);
const exchangeRate = action("exchangeRate", async (from: Currency, to: Currency) => (from === to ? "1" : "161.375"));

const SCALE = 1000n;

function parseMoney(text: string): Money {
  const match = /^(-?)(\d+)(?:[.,](\d{1,3}))?$/.exec(text.replaceAll(/[\s_']/g, ""));
  if (match === null) throw new SyntaxError(`§not an amount: ${text}`);
  const [, sign, whole, fraction = ""] = match;
  const value = BigInt(whole!) * SCALE + BigInt(fraction.padEnd(3, "0"));
  return sign === "-" ? -value : value;
}

/** Half away from zero. */
function divide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  const rest = a % b;
  const twice = (rest < 0n ? -rest : rest) * 2n;
  if (twice < (b < 0n ? -b : b)) return quotient;
  return quotient + (a < 0n === b < 0n ? 1n : -1n);
}

function format(value: Money, currency: Currency): string {
  const digits = currency === Currency.Yen ? 0 : 2;
  const rounded = divide(value, 10n ** BigInt(3 - digits));
  const text = (rounded < 0n ? -rounded : rounded).toString().padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits).replace(/\B(?=(\d{3})+$)/g, "'");
  return `${rounded < 0n ? "-" : ""}${whole}${digits > 0 ? `.${text.slice(-digits)}` : ""} ${currency}`;
}

export const input = {
  year: 2026,
  currency: "JPY",
  positions: [
    { text: "work", quantity: 37.5, price: "120", tax: 19 },
    { text: "books", quantity: 3, price: "19.999", tax: 7, discountPercent: 12.5 },
    { text: "deposit", quantity: -2, price: "1 000'000,5", tax: 0 },
    { text: "typo", quantity: 1, price: "1.2.3", tax: 0 },
  ],
};

export default workflow(
  "invoice",
  async ({ year, currency, positions }: { year: number; currency: Currency; positions: Position[] }) => {
    const problems: string[] = [];
    const byTax = new Map<Tax, Money>();
    const lines = positions.flatMap(({ text, quantity, price, tax, discountPercent = 0 }) => {
      try {
        const gross = divide(parseMoney(price) * BigInt(Math.round(quantity * 1000)), 1000n);
        const net = gross - divide(gross * BigInt(Math.round(discountPercent * 100)), 10_000n);
        byTax.set(tax, (byTax.get(tax) ?? 0n) + net);
        return [
          {
            text,
            net,
            tax: Tax[tax] ?? "unknown",
            label: `${text.padEnd(10, ".")}${format(net, Currency.Euro).padStart(20)}`,
          },
        ];
      } catch (error) {
        problems.push((error as Error).message);
        return [];
      }
    });
    const taxes = [...byTax].map(([rate, sum]) => ({
      rate,
      name: Tax[rate],
      amount: divide(sum * BigInt(rate), 100n),
    }));
    const total = [...byTax.values(), ...taxes.map(({ amount }) => amount)].reduce((sum, value) => sum + value, 0n);
    const [number, rate] = await Promise.all([nextNumber(year), exchangeRate(Currency.Euro, currency)]);
    const converted = divide(total * parseMoney(rate), SCALE);
    return {
      number,
      lines,
      taxes,
      total,
      shown: [format(total, Currency.Euro), format(converted, currency)],
      problems,
      huge: format(2n ** 100n, Currency.Euro),
      names: Object.keys(Tax),
    };
  },
);
