import { CUBE_CHUNKS } from "@orthant/core";
import { encodeUtf8 } from "@orthant/core/bytes";
import { getOrAdd } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import { attempt, readWhole } from "@orthant/disk/files";
import { startOf } from "../format/files.ts";
import type { Format } from "../format/format.ts";
import { type ConversionLoss, ConversionLosses } from "../format/losses.ts";
import { formatAmount, formatBytes, formatPosition } from "../format/text.ts";
import { looksOfBlock } from "../imported/block-looks.ts";
import { type DataOfVoxel, dataOfBlocks, withData } from "../imported/chunk-data.ts";
import { CutParts } from "../imported/cut-parts.ts";
import { damageLines, damageLosses } from "../imported/damage-losses.ts";
import type { ImportedPiece, ImportSource } from "../imported/import-source.ts";
import { isAir } from "../imported/imported-blocks.ts";
import { entitiesToImport } from "../imported/imported-entities.ts";
import { importedFormat } from "../imported/imported-format.ts";
import type { ImportedEntity } from "../part/voxel-part.ts";
import { openSchematic } from "./open-schematic.ts";
import { SCHEMATIC_BYTES_MAX, type Schematic, schematicBounds } from "./schematic.ts";

const ENDINGS = /\.(?:schem|schematic|litematic|nbt)$/i;
/** Key under which a world keeps what its schematic says about its place. */
const ATTACHMENT_KEY = "orthant.schematic";
/** A gzip stream, or a compound of NBT without compression. */
const STARTS = ["\u001f\u008b", "\n"];

/** Schematics of Sponge, MCEdit and Litematica, and structures of Minecraft: one file each. */
export const schematicFormat: Format = importedFormat({
  name: "schematic",
  title: "schematic",

  async detect(disk, file) {
    if (file === undefined) return undefined;
    const found = { format: "schematic", dialect: undefined, evidence: file };
    if (ENDINGS.test(file)) return found;
    const start = await startOf(disk, file, 2);
    if (start === undefined || !STARTS.some((known) => start.startsWith(known))) return undefined;
    const [schematic] = await attempt(() => readSchematic(disk, file));
    return schematic && found;
  },

  async openSource(disk, { evidence }) {
    return sourceOf(await readSchematic(disk, evidence), evidence);
  },
});

async function readSchematic(disk: Disk, path: string): Promise<Schematic & { readonly bytes: number }> {
  const bytes = await readWhole(disk, path, SCHEMATIC_BYTES_MAX);
  return { ...(await openSchematic(bytes, path)), bytes: bytes.length };
}

function sourceOf(schematic: Schematic & { readonly bytes: number }, path: string): ImportSource {
  const { parts, findings, offset, origin, bytes } = schematic;
  const cut = new CutParts(parts, isAir);
  const blockData = parts.flatMap((part) => dataOfBlocks(part.blockData));
  const dataByCell = new Map<number | undefined, DataOfVoxel[]>();
  for (const entry of blockData) {
    const cell = cut.cellOf(entry.position);
    getOrAdd(dataByCell, cell, () => []).push(entry);
  }
  const name = schematic.name ?? path.replace(/\.\w+$/, "");
  const kind =
    schematic.version === undefined ? schematic.format : `${schematic.format} ${schematic.version}`;
  const bounds = schematicBounds(schematic);
  return {
    shape: CUBE_CHUNKS,
    name,
    pieces: Array.from({ length: cut.count }, () => 1),
    boxOf: (piece) => cut.boxOf(piece),
    looksOf: looksOfBlock,
    attachments: [{ key: ATTACHMENT_KEY, value: encodeUtf8(JSON.stringify(placeOf(schematic))) }],
    losses: lossesOf(schematic, cut),
    info: {
      dialect: kind,
      facts: {
        kind: schematic.format,
        version: schematic.version ?? null,
        dataVersion: schematic.dataVersion ?? null,
        name,
        offset: offset ?? null,
        origin: origin ?? null,
        bounds: bounds ?? null,
        parts: parts.length,
        blockEntities: blockData.length,
        entities: entitiesOf(schematic),
        totalBytes: bytes,
      },
      rows: [
        ["name", name],
        ["file", formatBytes(bytes)],
        ["size", bounds && `${bounds.size.join(" x ")} voxels from ${formatPosition(bounds.min)}`],
        ["parts", parts.length === 1 ? undefined : formatAmount(parts.length, "part")],
        ["origin", origin && formatPosition(origin)],
        ["offset", offset && formatPosition(offset)],
        ["block data", formatAmount(blockData.length, "entry", "entries")],
        ["entities", formatAmount(entitiesOf(schematic), "entity", "entities")],
      ],
      losses: damageLines(findings),
    },
    async readPiece(piece): Promise<ImportedPiece> {
      const losses = new ConversionLosses();
      const { chunks, covered } = cut.chunksOf(piece);
      losses.add("voxels of regions that overlap", "those of the later region are kept", covered);
      const data = withData(chunks, dataByCell.get(piece) ?? [], losses);
      const entities = entitiesToImport(
        parts.flatMap((part) => part.entities).filter((entity) => cellOfEntity(cut, entity) === piece),
        losses,
      );
      return { chunks: data, entities, losses: losses.list(), savedAtMs: 0 };
    },
    verify: async () => findings,
    close: async () => undefined,
  };
}

/** Tools that paste a part of the world need what only the schematic says. */
function placeOf({ format, version, dataVersion, offset, origin }: Schematic): object {
  return { format, version, dataVersion, offset, origin };
}

/** Returns the cube with an entity; `undefined` without a place, or outside of the schematic. */
function cellOfEntity(cut: CutParts, { position }: ImportedEntity): number | undefined {
  return position && cut.cellOf(position);
}

function entitiesOf({ parts }: Schematic): number {
  return parts.reduce((sum, { entities }) => sum + entities.length, 0);
}

function lossesOf({ findings, parts }: Schematic, cut: CutParts): readonly ConversionLoss[] {
  const losses = new ConversionLosses();
  losses.addAll(damageLosses(findings));
  const outside = parts
    .flatMap((part) => part.entities)
    .filter((entity) => cellOfEntity(cut, entity) === undefined);
  losses.add("entities", `outside of the schematic; the first is ${outside[0]?.id ?? ""}`, outside.length);
  return losses.list();
}
