import type { IncomingMessage } from "node:http";
import { expect, it } from "vitest";
import { networkOf, TrustedProxies } from "../../src/http/guard/addresses.ts";

it("proxies are known by address and by network, however an address is written", () => {
  const proxies = new TrustedProxies(["10.0.0.0/8", "::1", "fd00::/8", "::ffff:192.168.1.0/120", "172.16.0.1"]);
  for (const address of [
    "10.1.2.3",
    "::ffff:10.1.2.3",
    "::1",
    "0:0:0:0:0:0:0:1",
    "fd12::5",
    "192.168.1.77",
    "172.16.0.1",
  ]) {
    expect(proxies.has(address), address).toBe(true);
  }
  for (const address of ["11.0.0.1", "::2", "fe80::1", "192.168.2.1", "172.16.0.2", "somewhere", ""]) {
    expect(proxies.has(address), address).toBe(false);
  }
});

it("an address is that of the first who is no proxy, as seen from here", () => {
  const proxies = new TrustedProxies(["10.0.0.0/8"]);
  const from = (remoteAddress: string, forwarded?: string): string =>
    proxies.addressOf({
      socket: { remoteAddress },
      headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
    } as unknown as IncomingMessage);
  expect(from("10.0.0.1")).toBe("10.0.0.1");
  expect(from("10.0.0.1", "1.1.1.1, 2.2.2.2,10.0.0.9")).toBe("2.2.2.2");
  expect(from("::ffff:10.0.0.1", "2.2.2.2")).toBe("2.2.2.2");
  expect(from("3.3.3.3", "2.2.2.2")).toBe("3.3.3.3");
  expect(from("10.0.0.1", "10.0.0.2, 10.0.0.3")).toBe("10.0.0.2");
});

it("a network is an address of IPv4, or 64 bits of IPv6", () => {
  expect(networkOf("::ffff:1.2.3.4")).toBe("1.2.3.4");
  expect(networkOf("1.2.3.4")).toBe("1.2.3.4");
  for (const address of ["2001:db8::1", "2001:0DB8:0:0::", "2001:db8:0:0:1:2:3:4", "2001:db8::ffff:1.2.3.4"]) {
    expect(networkOf(address), address).toBe("2001:db8:0:0::/64");
  }
  expect(networkOf("fe80::1%eth0")).toBe("fe80:0:0:0::/64");
  expect(networkOf("::1")).toBe("0:0:0:0::/64");
  expect(networkOf("1:2:3:4::")).toBe("1:2:3:4::/64");
});
