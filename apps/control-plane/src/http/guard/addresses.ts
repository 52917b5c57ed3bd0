import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Proxies that are believed whom they speak for: by address or network. */
export class TrustedProxies {
  readonly #list = new BlockList();

  constructor(proxies: readonly string[]) {
    for (const proxy of proxies) {
      const [, address = "", bits] = /^([^/]+)(?:\/(\d+))?$/.exec(proxy) ?? [];
      const plain = plainAddress(address);
      const [family, most] = isIP(plain) === 4 ? (["ipv4", 32] as const) : (["ipv6", 128] as const);
      // Of one that is written as IPv6, the first 96 bits say that it is none.
      const length = bits === undefined ? most : Number(bits) - (plain === address ? 0 : 96);
      this.#list.addSubnet(plain, Math.max(0, length), family);
    }
  }

  readonly has = (address: string): boolean => {
    const plain = plainAddress(address);
    const family = isIP(plain);
    return family !== 0 && this.#list.check(plain, family === 4 ? "ipv4" : "ipv6");
  };

  /** Whoever is in front of the proxies: the last one named by one that is believed. */
  addressOf({ socket, headers }: Pick<IncomingMessage, "socket" | "headers">): string {
    let address = socket.remoteAddress ?? "";
    const named = String(headers["x-forwarded-for"] ?? "").split(",");
    for (const before of named.reverse().map((each) => each.trim())) {
      if (before === "" || !this.has(address)) break;
      address = before;
    }
    return address;
  }
}

/** What one who has it can speak from: of IPv6, nobody is given less than 64 bits, and may be any of their addresses. */
export function networkOf(address: string): string {
  const plain = plainAddress(address);
  if (isIP(plain) !== 6) return plain;
  const [before = "", after] = plain.replace(/%.*$/, "").split("::", 2);
  const groups = before === "" ? [] : before.split(":");
  const behind = after === undefined || after === "" ? 0 : after.split(":").length + (after.includes(".") ? 1 : 0);
  const zeros = after === undefined ? 0 : Math.max(0, 8 - groups.length - behind);
  const all = [...groups, ...Array.from({ length: zeros }, () => "0"), ...(after ?? "").split(":")];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}

/** A socket of both kinds writes IPv4 as IPv6. */
function plainAddress(address: string): string {
  return MAPPED.exec(address)?.[1] ?? address;
}
