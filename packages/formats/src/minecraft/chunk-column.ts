import type { ColumnSection } from "../blocks/column-section.ts";
import type { NbtCompound } from "../nbt/nbt-compound.ts";
import type { FindingLog } from "../part/finding-log.ts";
import type { ImportedBlockData, ImportedEntity, Triple } from "../part/voxel-part.ts";
import { readSection, SECTION_EDGE } from "./section.ts";

/** A column of 16 x 16 voxels, as a region file has it. */
export interface ChunkColumn {
  /** In chunks. */
  readonly x: number;
  readonly z: number;
  /** Version of the data; `undefined` before 1.9. */
  readonly dataVersion: number | undefined;
  /** How far the game has generated it, without a namespace; `undefined` before 1.13. */
  readonly status: string | undefined;
  /** Whether the game has finished it; most columns at the edge of a world are unfinished. */
  readonly isFinished: boolean;
  /** Sections with blocks, from below. Where there is none, there is air. */
  readonly sections: readonly ColumnSection[];
  readonly blockData: readonly ImportedBlockData[];
  readonly entities: readonly ImportedEntity[];
}

/** Statuses of 1.13 to 1.21 after which a game adds nothing to a column. */
const FINISHED: ReadonlySet<string> = new Set(["full", "fullchunk", "postprocessed"]);

/** Returns where a column itself says it lies, in chunks. */
export function positionOf(root: NbtCompound): readonly [number | undefined, number | undefined] {
  const level = root.compound("Level") ?? root;
  return [level.integer("xPos"), level.integer("zPos")];
}

/** Reads a column of any version at a place in chunks. What is damaged in it is left out, with a finding. */
export function readColumn(root: NbtCompound, x: number, z: number, findings: FindingLog): ChunkColumn {
  const level = root.compound("Level") ?? root;
  const dataVersion = root.integer("DataVersion");
  const status = level.text("Status")?.replace(/^minecraft:/, "");
  const place = { chunkX: x, chunkZ: z, dataVersion };
  const sections: ColumnSection[] = [];
  for (const section of level.compounds(level.has("sections") ? "sections" : "Sections")) {
    const part = readSection(section, place, findings);
    if (part !== undefined) sections.push(part);
  }
  sections.sort((a, b) => a.min[1] - b.min[1]);
  return {
    x,
    z,
    dataVersion,
    status,
    isFinished: status === undefined || FINISHED.has(status),
    sections: withoutRepeats(sections, x, z, findings),
    blockData: readBlockData(level, x, z, findings),
    entities: readEntities(level),
  };
}

function withoutRepeats(
  sections: readonly ColumnSection[],
  x: number,
  z: number,
  findings: FindingLog,
): readonly ColumnSection[] {
  return sections.filter(({ min }, index) => {
    const isFirst = sections[index - 1]?.min[1] !== min[1];
    if (!isFirst) {
      findings.damage(
        "ORT_FOREIGN",
        `chunk [${x}, ${z}] has two sections at y ${min[1]}; the first one counts`,
      );
    }
    return isFirst;
  });
}

function readBlockData(
  level: NbtCompound,
  x: number,
  z: number,
  findings: FindingLog,
): readonly ImportedBlockData[] {
  const found: ImportedBlockData[] = [];
  for (const entry of level.compounds(level.has("block_entities") ? "block_entities" : "TileEntities")) {
    const position = [entry.integer("x"), entry.integer("y"), entry.integer("z")];
    const id = entry.text("id") ?? "";
    if (isInColumn(position, x, z)) found.push({ position, id, nbt: entry.toBytes() });
    else findings.damage("ORT_FOREIGN", `a block entity ${id} outside of chunk [${x}, ${z}] is left out`);
  }
  return found;
}

function isInColumn(position: readonly unknown[], x: number, z: number): position is Triple {
  const [blockX, blockY, blockZ] = position;
  if (typeof blockX !== "number" || typeof blockY !== "number" || typeof blockZ !== "number") return false;
  return Math.floor(blockX / SECTION_EDGE) === x && Math.floor(blockZ / SECTION_EDGE) === z;
}

/** Entities are in the columns up to 1.16, and in region files of their own from 1.17 on. */
function readEntities(level: NbtCompound): readonly ImportedEntity[] {
  const found: ImportedEntity[] = [];
  for (const entry of level.compounds("Entities")) {
    found.push({ position: entry.triple("Pos"), id: entry.text("id") ?? "", nbt: entry.toBytes() });
  }
  return found;
}
