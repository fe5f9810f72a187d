import { OrthantError } from "@orthant/core";
import { requireInteger, wrongArgument } from "@orthant/core/arguments";

/** Pattern of world, node and shard names, which become parts of subjects, keys and folders. Rule K1. */
const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** Throws `ORT_ARGUMENT` for an invalid name. */
export function requireName(name: string, what: string): void {
  if (typeof name !== "string") throw wrongArgument(`the name of a ${what}`, name, "it is a string");
  if (isName(name)) return;
  throw new OrthantError(
    "ORT_ARGUMENT",
    `${JSON.stringify(name)} is not a name for a ${what}: 1 to 32 of a-z, 0-9 and "-", and no "-" first`,
  );
}

/** Returns true for a valid name. */
export function isName(name: string): boolean {
  return NAME.test(name);
}

/** Returns the key of a shard's lease. Rule K4. */
export function leaseKey(world: string, shard: string): string {
  return `own.${world}.${shard}`;
}

/** Returns the common prefix of a world's lease keys. */
export function leasePrefix(world: string): string {
  return `own.${world}.`;
}

/** Returns the key to which a node writes its heartbeats. */
export function heartbeatKey(world: string, node: string): string {
  return heartbeatPrefix(world) + node;
}

/** Returns the common prefix of a world's heartbeat keys. */
export function heartbeatPrefix(world: string): string {
  return `beat.${world}.`;
}

/** Returns the key of a world's shard map. */
export function mapKey(world: string): string {
  return `map.${world}`;
}

/**
 * Returns the address at which the owner of a shard answers in one term. Earlier owners get no requests.
 * Rule K5.
 */
export function ownerAddress(world: string, shard: string, term: number): string {
  requireInteger(term, 1, Number.MAX_SAFE_INTEGER);
  return `i.${world}.${shard}.${term}`;
}

/**
 * Returns the address at which the owner of a shard takes entities over from other owners. Gateways cannot send there.
 * Rule K57.
 */
export function transferAddress(world: string, shard: string, term: number): string {
  requireInteger(term, 1, Number.MAX_SAFE_INTEGER);
  return `x.${world}.${shard}.${term}`;
}

/** Returns the address at which a node receives commands. */
export function nodeAddress(world: string, node: string): string {
  return `n.${world}.${node}`;
}

/** Returns the topic on which gateways exchange the players in a sector. */
export function presenceTopic(world: string, sector: string): string {
  return `p.${world}.${sector}`;
}
