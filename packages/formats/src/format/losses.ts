import { DEFAULT_BLOCKS, dimensionsOf, OrthantError } from "@orthant/core";
import { bytesEqual, encode } from "@orthant/core/bytes";
import { blockCatalogCodec } from "@orthant/core/chunk";
import type { ChunkEntry, Save } from "@orthant/save";
import { formatPosition } from "./text.ts";

/** Options for converting. */
export interface ConvertOptions {
  /** Replaces blocks that the other format lacks. Default: 1. */
  readonly standInBlock?: number;
  /** Called after each leaf that is read. */
  readonly onLeaf?: () => void;
}

/** Amount of converted content. */
export interface ConversionCounts {
  readonly chunks: number;
  readonly entities: number;
  readonly players: number;
}

/** Something that could not be converted. */
export interface ConversionLoss {
  /** Its kind, for messages: `clocks of regions`. */
  readonly what: string;
  readonly count: number;
  /** Its replacement, or its first occurrence. */
  readonly remark: string;
}

/** Result of a conversion. */
export interface ConversionReport extends ConversionCounts {
  /** What the other format cannot hold, with counts; empty if everything was converted. */
  readonly losses: readonly ConversionLoss[];
}

/** Counts the losses of a conversion or an export. */
export class ConversionLosses {
  readonly #byWhat = new Map<string, { count: number; remark: string }>();
  readonly #seen = new Set<string>();

  /** Notes `count` losses. Keeps the first remark about each kind. */
  add(what: string, remark: string, count = 1): void {
    if (count === 0) return;
    const known = this.#byWhat.get(what);
    if (known === undefined) this.#byWhat.set(what, { count, remark });
    else known.count += count;
  }

  /** Like {@link add}, but the same thing counts once. */
  addOnce(what: string, thing: string, remark: string): void {
    const key = `${what}\n${thing}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.add(what, remark);
  }

  /** Notes several losses. */
  addAll(losses: readonly ConversionLoss[]): void {
    for (const { what, remark, count } of losses) this.add(what, remark, count);
  }

  /** Returns all losses, in the order they were first noted. */
  list(): readonly ConversionLoss[] {
    return Array.from(this.#byWhat, ([what, { count, remark }]) => ({ what, count, remark }));
  }
}

/**
 * Runs a conversion. Unless losses are accepted, first does a dry run, and throws `ORT_LOSS` if anything
 * would be lost. If `isDry`, never writes.
 */
export async function listingFirst<Counts extends object>(
  isDry: boolean,
  { acceptLosses = false }: { readonly acceptLosses?: boolean },
  run: (losses: ConversionLosses, isDry: boolean) => Promise<Counts>,
): Promise<Counts & { readonly losses: readonly ConversionLoss[] }> {
  const runOnce = async (
    withoutWriting: boolean,
  ): Promise<Counts & { readonly losses: readonly ConversionLoss[] }> => {
    const losses = new ConversionLosses();
    return { ...(await run(losses, withoutWriting)), losses: losses.list() };
  };
  if (isDry || acceptLosses) return runOnce(isDry);
  const { losses } = await runOnce(true);
  if (losses.length === 0) return runOnce(false);
  const named = losses.map(({ what, count, remark }) => `${what} (${count}): ${remark}`);
  throw new OrthantError("ORT_LOSS", `the conversion would lose: ${named.join("; ")}`);
}

/** Notes the parts of a description and an index that foreign formats cannot hold. */
export function noteLostFacts(
  { global, index }: Pick<Save, "global" | "index">,
  losses: ConversionLosses,
): void {
  const { name, chunkShape, spawn, blocks, namedGenerations, attachments, edits } = global.description;
  if (name !== "") losses.add("the name of the world", JSON.stringify(name));
  if (spawn.some((coordinate) => coordinate !== 0))
    losses.add("the spawn point", formatPosition(spawn, dimensionsOf(chunkShape)));
  if (blocks.length > 0 && !isDefaultCatalog(blocks)) {
    losses.add("the block catalog", "blocks keep their numbers, and lose names and colours");
  }
  losses.add("named generations", "one generation is converted", namedGenerations.length);
  losses.add("attachments", "what programs kept with the world", attachments.length);
  losses.add("keys of the store", "what the game kept with the world", global.records?.store?.keys ?? 0);
  losses.add("last edits of clients", "a client may make its last edit twice", edits.length);
  losses.add("clocks of regions", "clients fetch all regions again", index.totals.clocks);
}

/** Notes the data of voxels, which no foreign format has. */
export function noteLostData(chunks: readonly Pick<ChunkEntry, "chunk">[], losses: ConversionLosses): void {
  const voxels = chunks.reduce((sum, { chunk }) => sum + chunk.data.size, 0);
  losses.add("data of voxels", "the format stores blocks alone", voxels);
}

function isDefaultCatalog(blocks: Uint8Array): boolean {
  return bytesEqual(blocks, encode(blockCatalogCodec, DEFAULT_BLOCKS));
}
