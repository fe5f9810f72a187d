import type { IncomingMessage } from "node:http";
import { isIP, isIPv4 } from "node:net";
import { requireText } from "@orthant/core/arguments";

const MAPPED_IPV4 = /^::ffff:(?<address>\d+\.\d+\.\d+\.\d+)$/i;
const UNKNOWN = "unknown";

/**
 * Returns the address of a request. Each of the operator's proxies appends the address it saw to
 * `X-Forwarded-For`, so only as many entries from the end as there are proxies can be trusted.
 */
export function addressOf(request: IncomingMessage, proxies: number): string {
  const peer = request.socket.remoteAddress ?? UNKNOWN;
  if (proxies === 0) return peer;
  const forwarded = [request.headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
  const claimed = forwarded.at(-proxies)?.trim() ?? "";
  return isIP(claimed) === 0 ? peer : claimed;
}

/** Whether a proxy forwarded the request. */
export function isForwarded({ headers }: IncomingMessage): boolean {
  return (
    headers["x-forwarded-for"] !== undefined ||
    headers["forwarded"] !== undefined ||
    headers["x-real-ip"] !== undefined ||
    headers["via"] !== undefined
  );
}

/** Returns the network of an address: one customer usually has a /64 of IPv6, and few have a /24 of IPv4. */
export function networkOf(address: string): string {
  const plain = MAPPED_IPV4.exec(address)?.groups?.["address"] ?? address.replace(/%.*$/, "");
  if (isIPv4(plain)) return `${plain.split(".").slice(0, 3).join(".")}.0/24`;
  if (isIP(plain) === 0) return UNKNOWN;
  return `${ipv6Groups(plain).slice(0, 4).join(":")}::/64`;
}

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  requireText("host", host);
  const plain = MAPPED_IPV4.exec(host)?.groups?.["address"] ?? host.replace(/^\[(.*)\]$/, "$1");
  if (plain === "localhost") return true;
  return isIPv4(plain) ? plain.startsWith("127.") : isIP(plain) === 6 && isLoopbackIpv6(plain);
}

function isLoopbackIpv6(address: string): boolean {
  const groups = ipv6Groups(address);
  return groups.every((group, index) => group === (index === 7 ? "1" : "0"));
}

/** Returns the eight groups of a valid IPv6 address, each without leading zeros. */
function ipv6Groups(address: string): readonly string[] {
  const [head = "", tail] = address.toLowerCase().split("::");
  const before = groupsIn(head);
  const after = groupsIn(tail ?? "");
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array.from({ length: missing }, () => "0"), ...after];
}

function groupsIn(part: string): readonly string[] {
  if (part === "") return [];
  return part.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16).toString(16)];
    // The last 32 bits may be written as an IPv4 address.
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
  });
}

/** Formats an address for a URL. An address for all interfaces becomes this machine. */
export function urlHost(address: string): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  if (address === "::") return "[::1]";
  return address.includes(":") ? `[${address}]` : address;
}
