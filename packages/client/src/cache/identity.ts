import type { Codec } from "@orthant/core";
import { EDIT_RUN_IDS } from "@orthant/protocol";
import type { CacheEntry, ReplicaCache } from "./replica-cache.ts";
import { openEntry, sealEntry } from "./sealed-entry.ts";

/** Who a client is to its server: what its edits are told apart by. */
export interface Identity {
  readonly clientId: bigint;
  /** No edit of this client had this id or a higher one. */
  readonly firstEditId: number;
}

/** Where the identity is stored. */
const IDENTITY_KEY = "identity";
/** Edit ids set aside each time, so that none is used twice, however the client ends. */
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

/** The identity that is stored, or a fresh one; from now on the stored one continues behind all that we may use. */
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

/** An identity that nobody else has. */
export function freshIdentity(random: () => bigint): Identity {
  return { clientId: random(), firstEditId: 1 };
}
