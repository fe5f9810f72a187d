import { BlockList, isIP, isIPv6 } from "node:net";
import { OrthantError } from "@orthant/core";
import { isLoopback } from "./client-address.ts";

/**
 * Returns whether datagrams from an address are accepted: those on the list or, without a list, those of this
 * machine. Throws `ORT_ARGUMENT` for an entry that is neither an address nor a network.
 */
export function allowList(entries: readonly string[]): (address: string) => boolean {
  if (entries.length === 0) return isLoopback;
  const list = new BlockList();
  for (const entry of entries) addEntry(list, entry);
  return (address) => list.check(address, familyOf(address));
}

function addEntry(list: BlockList, entry: string): void {
  const [address = "", prefix, ...rest] = entry.split("/");
  const bitsMax = isIPv6(address) ? 128 : 32;
  const bits = prefix === undefined ? bitsMax : Number(prefix === "" ? Number.NaN : prefix);
  if (isIP(address) === 0 || rest.length > 0 || !Number.isInteger(bits) || bits < 0 || bits > bitsMax) {
    throw new OrthantError("ORT_ARGUMENT", `"${entry}" is no address, nor a network such as 10.0.0.0/24`);
  }
  list.addSubnet(address, bits, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4";
}
