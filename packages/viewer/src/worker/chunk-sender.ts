import type { Box, Position } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import {
  boxAt,
  boxesIntersect,
  intersectBoxes,
  PositionMap,
  positionsLexicographic,
  regionBox,
  regionOf,
  regionsTouching,
} from "@orthant/core/lattice";
import type { SceneSource } from "@orthant/worker-pool/browser";
import { type ChunkPart, chunkPartsCodec } from "../message/chunk-parts.ts";
import type { WorkerMessage } from "../message/messages.ts";

/** Encoded chunks that the page may hold; it and its workers need some of this again. */
const PAGE_BYTES_MAX: number = 192 * 1024 * 1024;
/** Regions in one message. */
const PARTS_MAX = 64;

/** What the sender needs of the worker. */
interface ChunkSenderOptions {
  readonly chunks: SceneSource;
  readonly send: (message: WorkerMessage, transfer: readonly ArrayBuffer[]) => void;
}

/** Sends the page the chunks of what it draws: region by region as they arrive, and whatever changes in them. */
export class ChunkSender {
  readonly #options: ChunkSenderOptions;
  /** Encoded bytes of each region that the page has. */
  readonly #sent = new PositionMap<number>();
  #regions: Box | undefined;
  #bytes = 0;
  #hasSaidFull = false;

  constructor(options: ChunkSenderOptions) {
    this.#options = options;
  }

  /** Encoded bytes that the page has. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes over which chunks the page draws; `undefined` for none. */
  setInterest(chunks: Box | undefined): void {
    const regions = chunks && regionsTouching(chunks);
    if (String([regions?.min, regions?.max]) === String([this.#regions?.min, this.#regions?.max])) return;
    this.#regions = regions;
    const left = [...this.#sent].map(([region]) => region);
    const isLeft = (region: Box): boolean => regions === undefined || !boxesIntersect(regions, region);
    this.#forget(left.filter((region) => isLeft(boxAt(region))));
    if (regions !== undefined) this.#send(this.#partsIn(regions, undefined), false);
  }

  /** Takes over that chunks changed, came or went, and whether by an edit of the page. */
  changed(boxes: readonly Box[], isOwn: boolean): void {
    const wanted = this.#regions;
    if (wanted === undefined) return;
    const parts = boxes.flatMap((box) => {
      const regions = intersectBoxes(regionsTouching(box), wanted);
      return regions === undefined ? [] : this.#partsIn(regions, box);
    });
    this.#send(parts, isOwn);
  }

  /** Returns what the page lacks of regions: of those that it has only what lies in `changed`. */
  #partsIn(regions: Box, changed: Box | undefined): ChunkPart[] {
    const parts: ChunkPart[] = [];
    for (const region of positionsLexicographic(regions)) {
      const whole = regionBox(region);
      const isSent = this.#sent.has(...region);
      if (!this.#options.chunks.has(whole)) {
        if (isSent) this.#forget([region]);
        continue;
      }
      const box = isSent ? changed && intersectBoxes(whole, changed) : whole;
      if (box === undefined || (!isSent && this.#isFull())) continue;
      if (!isSent) this.#sent.set(...region, 0);
      parts.push({ box, pieces: [...this.#piecesOf(box)] });
    }
    return parts;
  }

  *#piecesOf(box: Box): Iterable<ChunkPart["pieces"][number]> {
    const { chunks } = this.#options;
    if (chunks.generators !== undefined) {
      yield* chunks.madeIn(box);
      return;
    }
    for (const position of positionsLexicographic(box)) {
      const content = chunks.chunkAt(...position);
      if (content !== undefined) yield { box: boxAt(position), content };
    }
  }

  #send(parts: readonly ChunkPart[], isOwn: boolean): void {
    const { chunks, send } = this.#options;
    for (let at = 0; at < parts.length; at += PARTS_MAX) {
      const some = parts.slice(at, at + PARTS_MAX);
      const bytes = encode(chunkPartsCodec(chunks.shape.volume), some).slice();
      for (const { box } of some) this.#count(regionOf(box.min), bytes.length / some.length);
      send({ kind: "chunks", parts: bytes, isOwn }, [bytes.buffer]);
    }
  }

  /** A change replaces what was there, so that the larger one counts. */
  #count(region: Position, bytes: number): void {
    const before = this.#sent.get(...region) ?? 0;
    if (bytes <= before) return;
    this.#sent.set(...region, bytes);
    this.#bytes += bytes - before;
  }

  #forget(regions: readonly Position[]): void {
    if (regions.length === 0) return;
    for (const region of regions) {
      this.#bytes -= this.#sent.get(...region) ?? 0;
      this.#sent.delete(...region);
    }
    this.#options.send({ kind: "forget", regions }, []);
  }

  #isFull(): boolean {
    if (this.#bytes < PAGE_BYTES_MAX) return false;
    if (!this.#hasSaidFull) {
      const text = "This is more than the page can hold: what is farther away is not shown.";
      this.#options.send({ kind: "notice", text, isBad: true }, []);
    }
    this.#hasSaidFull = true;
    return true;
  }
}
