import type { Codec } from "@orthant/core";
import { EDIT_RUN_IDS } from "@orthant/protocol";
import type { CacheEntry, ReplicaCache } from "./replica-cache.ts";
import { openEntry, sealEntry } from "./sealed-entry.ts";

/** The identity of a client, by which the server recognizes its edits. */
export interface Identity {
  readonly clientId: bigint;
  /** An id above all edit ids that this client has ever used. */
  readonly firstEditId: number;
}

/** Cache key of the identity. */
const IDENTITY_KEY = "identity";
/** Edit ids reserved each time, so that none is used twice, however the client ends. */
const EDIT_IDS_RESERVED = EDIT_RUN_IDS;

const identityCodec: Codec<Identity> = {
  write(out, { clientId, firstEditId }) {
    out.u64(clientId);
    out.varUint(firstEditId);
  },
  read(input) {
    const clientId = input.u64();
    const firstEditId = input.varUint();
    if (firstEditId === 0) throw input.fail("ORT_ARGUMENT", "edits count from 1");
    return { clientId, firstEditId };
  },
};

/** Returns the stored identity or a fresh one, and stores it with all ids that we may use marked as used. */
export async function takeIdentity(
  cache: ReplicaCache,
  entries: readonly CacheEntry[],
  random: () => bigint,
): Promise<Identity> {
  const entry = entries.find(({ key }) => key === IDENTITY_KEY);
  const stored = entry === undefined ? undefined : openEntry(entry, identityCodec);
  const mayGoOn = stored !== undefined && stored.firstEditId + EDIT_IDS_RESERVED < Number.MAX_SAFE_INTEGER;
  const identity = mayGoOn ? stored : freshIdentity(random);
  const next = { ...identity, firstEditId: identity.firstEditId + EDIT_IDS_RESERVED };
  await cache.store([sealEntry(IDENTITY_KEY, identityCodec, next)]);
  return identity;
}

/** Returns a unique identity. */
export function freshIdentity(random: () => bigint): Identity {
  return { clientId: random(), firstEditId: 1 };
}
