import { type Box, type ChunkShape, OrthantError, type Position, type Vector } from "@orthant/core";
import { AXES, axisOutside, boxAt, PositionSet, pointOnAxes } from "@orthant/core/lattice";
import { atFile, attempt, type Finding, findingOf, noticeOf } from "@orthant/disk/files";
import type { RecordRef } from "../codec/blob.ts";
import type { StoredEntity } from "../codec/entity.ts";
import { packFile } from "../codec/files.ts";
import { recordHeader } from "../codec/layout.ts";
import type { LeafEntry } from "../leaves/leaf-entry.ts";
import { checkRecord, type PackReader } from "../pack/pack-reader.ts";
import { readInOrder } from "../pack/record-spans.ts";
import {
  type BlobContext,
  checkChunkPayload,
  decodeEntityPayload,
  payloadLimit,
} from "../read/blob-reader.ts";
import { KnownRecords } from "./verify-pack.ts";

/** Parameters of a generation's blobs. Without the global file, the size of a chunk is unknown. */
export interface LeafContext extends Omit<BlobContext, "chunkVolume"> {
  readonly chunkVolume: number | undefined;
  readonly shape: ChunkShape | undefined;
}

/** Records that other threads inflate while this one checks another. */
const JUDGED_AT_ONCE = 4;

/** Reads every record that leaves refer to. Generations share most records, so each is read once. */
export class LeafVerifier {
  /** The records of the leaves so far. */
  readonly records: KnownRecords = new KnownRecords();
  readonly #packReader: PackReader;
  /** Verification results, by record and cube. */
  readonly #checked = new Map<string, CheckedRecord>();

  constructor(packReader: PackReader) {
    this.#packReader = packReader;
  }

  /** Returns every fault in the content of leaves, in their order. `entityIds` are those of other leaves. */
  async verify(
    leaves: readonly LeafEntry[],
    context: LeafContext,
    generation: number,
    entityIds: Set<bigint> = new Set(),
  ): Promise<readonly Finding[]> {
    await this.#readNew(leaves, context);
    const findings: Finding[] = [];
    for (const { cube, chunkRefs, entityRefs } of leaves) {
      // Most leaves have one record, which has no chunk twice.
      const positions = chunkRefs.length > 1 ? new PositionSet() : undefined;
      const report = (error: OrthantError, ref: RecordRef): void => {
        findings.push(findingOf(error, packFile(ref.packId), generation, cube));
      };
      for (const ref of chunkRefs) {
        const checked = this.#checkOf(ref, cube);
        if (checked?.error !== undefined) report(checked.error, ref);
        for (const position of checked?.outside ?? []) {
          const message = `the chunk at [${position}] lies on an axis that the world does not have, and is never shown`;
          const notice = noticeOf(packFile(ref.packId), message, ref.recordOffset);
          findings.push({ ...notice, generation, chunks: boxAt(position) });
        }
        if (positions === undefined) continue;
        for (const position of checked?.positions ?? []) {
          if (positions.has(...position)) report(twice(ref, `the chunk at [${position}]`), ref);
          positions.add(...position);
        }
      }
      for (const ref of entityRefs) {
        const checked = this.#checkOf(ref, cube);
        if (checked?.error !== undefined) report(checked.error, ref);
        for (const notice of checked?.entitiesOff ?? []) {
          findings.push({
            ...noticeOf(packFile(ref.packId), notice, ref.recordOffset),
            generation,
            chunks: cube,
          });
        }
        for (const id of checked?.entityIds ?? []) {
          if (entityIds.has(id)) report(twice(ref, `entity ${id}`), ref);
          entityIds.add(id);
        }
      }
    }
    return findings;
  }

  /** Returns the ids of all entities in verified leaves. */
  entityIdsOf(leaves: readonly LeafEntry[]): readonly bigint[] {
    return leaves.flatMap(({ cube, entityRefs }) =>
      entityRefs.flatMap((ref) => this.#checkOf(ref, cube)?.entityIds ?? []),
    );
  }

  /** Reads the records that were not read before, in disk order. */
  async #readNew(leaves: readonly LeafEntry[], context: LeafContext): Promise<void> {
    const wanted = new Map<string, Wanted>();
    const want = (ref: RecordRef, cube: Box, kind: Wanted["kind"], isAlone: boolean): void => {
      const key = keyOf(ref, cube);
      this.records.add(ref);
      const known = this.#checked.get(key);
      // The positions of a leaf's only record are not needed, unless another generation has it beside others.
      const isNew =
        known === undefined || (!isAlone && known.positions === undefined && known.error === undefined);
      if (isNew) wanted.set(key, { key, ref, cube, kind, isAlone });
    };
    for (const { cube, chunkRefs, entityRefs } of leaves) {
      for (const ref of chunkRefs) want(ref, cube, "chunk", chunkRefs.length === 1);
      for (const ref of entityRefs) want(ref, cube, "entity", true);
    }
    const judging: Promise<void>[] = [];
    for await (const records of readInOrder(this.#packReader, [...wanted.values()])) {
      for (const [item, record] of records) {
        if (judging.length === JUDGED_AT_ONCE) await judging.shift();
        const next = this.#judge(item, record, context).then((checked) => {
          this.#checked.set(item.key, checked);
        });
        // The failure is thrown when its turn comes.
        next.catch(() => undefined);
        judging.push(next);
      }
    }
    await Promise.all(judging);
  }

  /** Verifies a record, whose bytes are `undefined` if they could not be read together with others. */
  async #judge(
    { ref, cube, kind, isAlone }: Wanted,
    record: Uint8Array | undefined,
    context: LeafContext,
  ): Promise<CheckedRecord> {
    const { chunkVolume } = context;
    const [checked, error] = await attempt(async (): Promise<CheckedRecord> => {
      // Without the global file only the checksum of chunks can be checked.
      const isChecksumOnly = kind === "chunk" && chunkVolume === undefined;
      const bytesMax = isChecksumOnly ? ref.recordBytes : payloadLimit(context, ref);
      const isUsable = record !== undefined && record.length - recordHeader.bytes <= bytesMax;
      const payload = isUsable
        ? atFile({ path: packFile(ref.packId) }, () => checkRecord(record, ref))
        : await this.#packReader.readPayload(ref, bytesMax);
      if (payload.length > 0) this.records.addIntact(ref);
      if (kind === "entity") {
        const entities = await decodeEntityPayload(payload, ref, cube, { ...context, chunkVolume: 1 });
        return checkedEntities(entities, context.shape);
      }
      const positions =
        chunkVolume === undefined
          ? []
          : await checkChunkPayload(payload, ref, cube, { ...context, chunkVolume, isOffThread: true });
      const outside = outsideOf(positions, context.shape);
      return { error: undefined, positions: isAlone ? undefined : positions, outside, ...NO_ENTITIES };
    });
    return checked ?? failed(error);
  }

  #checkOf(ref: RecordRef, cube: Box): CheckedRecord | undefined {
    return this.#checked.get(keyOf(ref, cube));
  }
}

interface Wanted {
  /** Record and cube as a key. */
  readonly key: string;
  readonly ref: RecordRef;
  readonly cube: Box;
  readonly kind: "chunk" | "entity";
  /** Whether the leaf has no other record of its kind. */
  readonly isAlone: boolean;
}

interface CheckedRecord {
  readonly error: OrthantError | undefined;
  /** Positions of chunks; `undefined` if not needed. */
  readonly positions: readonly Position[] | undefined;
  /** Chunks on axes that the world does not have. */
  readonly outside: readonly Position[];
  readonly entityIds: readonly bigint[];
  /** Notices about entities on axes that the world does not have. */
  readonly entitiesOff: readonly string[];
}

const NO_ENTITIES = { entityIds: [], entitiesOff: [] } as const;

function failed(error: OrthantError): CheckedRecord {
  return { error, positions: undefined, outside: [], ...NO_ENTITIES };
}

function checkedEntities(entities: readonly StoredEntity[], shape: ChunkShape | undefined): CheckedRecord {
  return {
    error: undefined,
    positions: undefined,
    outside: [],
    entityIds: entities.map(({ entityId }) => entityId),
    entitiesOff: entities.flatMap(
      ({ entityId, position }) => offAxes(`entity ${entityId}`, position, shape) ?? [],
    ),
  };
}

/** Returns a notice if a point lies on an axis that the world does not have. Rule S104. */
export function offAxes(what: string, point: Vector, shape: ChunkShape | undefined): string | undefined {
  if (shape === undefined) return undefined;
  const inside = pointOnAxes(shape, point);
  if (AXES.every((axis) => inside[axis] === point[axis])) return undefined;
  return `${what} at [${point}] lies on an axis that the world does not have`;
}

/** Returns the chunks on axes that the world does not have. Rule S104. */
function outsideOf(positions: readonly Position[], shape: ChunkShape | undefined): readonly Position[] {
  if (shape === undefined) return [];
  return positions.filter((position) => axisOutside(shape, position) !== undefined);
}

function keyOf(ref: RecordRef, { min, max }: Box): string {
  const { packId, recordOffset, recordBytes, recordCrc32, blobType, blobVersion } = ref;
  return `${packId},${recordOffset},${recordBytes},${recordCrc32},${blobType},${blobVersion},${min},${max}`;
}

function twice(ref: RecordRef, what: string): OrthantError {
  return new OrthantError("ORT_BLOB", `${what} is stored twice`, { offset: ref.recordOffset });
}
