import { OrthantError } from "@orthant/core";
import { requireBytes, requireObject, requireText, requireWhole } from "@orthant/core/arguments";
import { readNbtFile } from "../nbt/nbt-file.ts";
import { FindingLog } from "../part/finding-log.ts";
import { isLitematica, readLitematica } from "./litematica.ts";
import { isMcedit, readMcedit } from "./mcedit.ts";
import {
  SCHEMATIC_BYTES_MAX,
  SCHEMATIC_VOXELS_MAX,
  type Schematic,
  type SchematicLimits,
} from "./schematic.ts";
import { isSponge, readSponge } from "./sponge.ts";
import { isStructure, readStructure } from "./structure.ts";

/** Nothing longer can be allocated everywhere. */
const LENGTH_MAX = 2 ** 31 - 1;

/**
 * Reads a schematic, whose kind its content says, not its name. Throws if nothing of it can be read: `ORT_DEFLATE`,
 * `ORT_NBT`, `ORT_LIMIT`, `ORT_VERSION` or `ORT_FOREIGN`; everything less is a finding. `path` is for messages.
 */
export async function openSchematic(
  bytes: Uint8Array,
  path: string,
  limits: SchematicLimits = {},
): Promise<Schematic> {
  requireBytes("bytes", bytes);
  requireText("path", path);
  requireObject("limits", limits, "it is { bytesMax, voxelsMax }");
  const { bytesMax = SCHEMATIC_BYTES_MAX, voxelsMax = SCHEMATIC_VOXELS_MAX } = limits;
  requireWhole("limits.bytesMax", bytesMax, 1, LENGTH_MAX);
  requireWhole("limits.voxelsMax", voxelsMax, 1, LENGTH_MAX);
  const { root } = await readNbtFile(bytes, bytesMax);
  const input = { root, findings: new FindingLog(path), voxelsMax };
  if (isLitematica(root)) return readLitematica(input);
  if (isSponge(root)) return readSponge(input);
  if (isMcedit(root)) return readMcedit(input);
  if (isStructure(root)) return readStructure(input);
  throw new OrthantError(
    "ORT_FOREIGN",
    "NBT that is not a schematic of Sponge, MCEdit or Litematica, and no structure",
    {
      path,
    },
  );
}
