import type { BlockCatalog } from "@orthant/core";
import { ByteWriter } from "@orthant/core/bytes";
import {
  blockCatalogHash,
  diffBlockCatalogs,
  isPlainBlockChange,
  plainBlockCatalog,
  unshapedBlockCatalog,
} from "@orthant/core/chunk";
import { FEATURES } from "../../message/limits.ts";
import { writeServerMessage } from "../../message/server-frame-codec.ts";
import type { BlocksMessage } from "../../message/server-message.ts";
import type { Outbox } from "../outbox.ts";
import type { SyncWorld } from "../sync-world.ts";

/** Earlier catalogs that are kept, to send differences to clients that hold them. */
const EARLIER_MAX = 32;
/** Interval between two messages about the same catalog to a client that does not confirm it. */
const REPEAT_MS = 1_000;

/** Returns the feed for clients with features. */
export type BlockFeedFor = (featureBits: bigint) => BlockFeed;

/** Creates the feeds of a world: one for clients that know all of a catalog, and two for earlier ones. Rules N59 and N61. */
export function blockFeedsOf(world: SyncWorld): BlockFeedFor {
  const whole = new BlockFeed({ current: () => world.catalog, hasRedefinitions: true });
  const plain = new BlockFeed({ current: () => plainBlockCatalog(world.catalog), hasRedefinitions: false });
  const unshaped = new BlockFeed({
    current: () => unshapedBlockCatalog(world.catalog),
    hasRedefinitions: true,
  });
  return (featureBits) => {
    if ((featureBits & FEATURES.redefinedBlocks) === 0n) return plain;
    return (featureBits & FEATURES.blockShapes) === 0n ? unshaped : whole;
  };
}

interface CatalogSource {
  /** Returns the present catalog. */
  readonly current: () => BlockCatalog;
  /** Whether clients know redefined blocks. Otherwise they are sent the whole catalog. */
  readonly hasRedefinitions: boolean;
}

/** A catalog, with the messages that bring clients up to date. All clients share the bytes. */
class BlockFeed {
  readonly #source: CatalogSource;
  #catalog: BlockCatalog;
  readonly #earlier = new Map<bigint, BlockCatalog>();
  readonly #messages = new Map<bigint, Uint8Array>();

  constructor(source: CatalogSource) {
    this.#source = source;
    this.#catalog = source.current();
  }

  /** Hash of the present catalog. */
  get hash(): bigint {
    return blockCatalogHash(this.catalog);
  }

  /** The present catalog. */
  get catalog(): BlockCatalog {
    const catalog = this.#source.current();
    if (catalog === this.#catalog) return catalog;
    this.#messages.clear();
    this.#earlier.set(blockCatalogHash(this.#catalog), this.#catalog);
    const [oldest] = this.#earlier.keys();
    if (this.#earlier.size > EARLIER_MAX && oldest !== undefined) this.#earlier.delete(oldest);
    this.#catalog = catalog;
    return catalog;
  }

  /** Returns the bytes of the message for a client that holds the catalog with this hash, known or not. */
  messageFor(held: bigint): Uint8Array {
    const { catalog } = this;
    const earlier = this.#earlier.get(held);
    // Clients choose hashes. All that are unknown share one message.
    const key = earlier === undefined ? 0n : held;
    let bytes = this.#messages.get(key);
    if (bytes === undefined) {
      const change = earlier && diffBlockCatalogs(earlier, catalog);
      const isKnown = change !== undefined && (this.#source.hasRedefinitions || isPlainBlockChange(change));
      const content = isKnown ? { base: held, change } : { catalog };
      const message: BlocksMessage = { kind: "blocks", blocksHash: blockCatalogHash(catalog), content };
      const out = new ByteWriter();
      writeServerMessage(out, message, undefined);
      bytes = out.copy();
      this.#messages.set(key, bytes);
    }
    return bytes;
  }
}

/** Brings one client's catalog up to date, until the client confirms it. */
export class PendingBlocks {
  readonly #feed: BlockFeed;
  /** Hash of what the client has: what it confirmed last, or what its first welcome said. */
  #held: bigint | undefined;
  /** The last catalog that was sent, and when. */
  #sent = 0n;
  #sentMs = 0;

  constructor(feed: BlockFeed) {
    this.#feed = feed;
  }

  /**
   * The client's welcome has the present catalog, or says that the client has it. A client takes the first welcome that
   * arrives and ignores a repeated one, so a later catalog still has to be sent.
   */
  welcomed(): void {
    this.#held ??= this.#feed.hash;
  }

  /** The client has said which catalog it has. */
  seen(hash: bigint): void {
    this.#held = hash;
  }

  /** Whether the client has the present catalog. */
  get isCurrent(): boolean {
    return this.#held === this.#feed.hash;
  }

  /** Sends what the client lacks. */
  write(out: Outbox, nowMs: number): void {
    const { hash } = this.#feed;
    if (this.#held === undefined || this.#held === hash) return;
    if (this.#sent === hash && nowMs - this.#sentMs < REPEAT_MS) return;
    this.#sent = hash;
    this.#sentMs = nowMs;
    out.append(this.#feed.messageFor(this.#held));
  }
}
