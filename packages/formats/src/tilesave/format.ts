import type { Box } from "@orthant/core";
import { boxAt, unionBox } from "@orthant/core/lattice";
import { verifySave } from "@orthant/save";
import { fileBytes, firstOf, startOf } from "../format/files.ts";
import type { Format } from "../format/format.ts";
import { formatAmount, formatBox, formatBytes } from "../format/text.ts";
import { exportTileSave, importTileSave } from "./convert.ts";
import { openTileSave } from "./files.ts";
import { TILE_SAVE_BACKUP_FILE, TILE_SAVE_FILE } from "./tile-save.ts";

/** Longer than the first line of a tile save. */
const START_BYTES = 128;

/** The `world.sav` of a tile game. */
export const tileSaveFormat: Format = {
  name: "tilesave",
  title: "tile save",
  isOneFile: true,
  targets: ["orthant"],

  /** Accepts a save or its backup if the text begins with a line of such a save. */
  async detect(disk, file) {
    if (file !== undefined) return undefined;
    const evidence = await firstOf([TILE_SAVE_FILE, TILE_SAVE_BACKUP_FILE], async (path) => {
      const start = await startOf(disk, path, START_BYTES);
      return start !== undefined && /^[a-z_.]+=[^\n]*\n/.test(start) ? path : undefined;
    });
    return evidence === undefined ? undefined : { format: "tilesave", dialect: undefined, evidence };
  },

  async info({ disk }) {
    const { file, fault, save } = await openTileSave(disk);
    const { tickIndex, localPlayerId, gameplayFingerprint, chunks = [], others } = save;
    const totalBytes = await fileBytes(disk, file);
    const boxes = chunks.map(({ x, y }) => boxAt([x, y, 0, 0]));
    const bounds = boxes.reduce<Box | undefined>(unionBox, undefined);
    const unknownKeys = others.map(({ key }) => key);
    return {
      facts: {
        file,
        fault: fault?.message ?? null,
        tickIndex,
        localPlayerId,
        gameplayFingerprint,
        chunks: chunks.length,
        chunkBounds: bounds ? { min: bounds.min.slice(0, 2), max: bounds.max.slice(0, 2) } : null,
        unknownKeys,
        totalBytes,
      },
      rows: [
        ["file", `${file}, ${formatBytes(totalBytes)}`],
        ["fault", fault?.message],
        ["tick", String(tickIndex)],
        ["player", String(localPlayerId)],
        ["mods", gameplayFingerprint === "" ? undefined : gameplayFingerprint],
        ["chunks", formatAmount(chunks.length, "chunk")],
        ["bounds", bounds && `chunks ${formatBox(bounds, 2)}`],
        ["unknown keys", others.length === 0 ? undefined : unknownKeys.join(", ")],
      ],
    };
  },

  /** Notes when it uses the backup of a damaged save. */
  async convert({ disk, environment }) {
    const { save, file, fault } = await openTileSave(disk);
    if (fault !== undefined) environment.note(`${fault.message}; ${file} is converted instead`);
    return {
      from: "tilesave",
      to: "orthant",
      unit: "chunks",
      run: (made) => importTileSave(save, made, environment.time.nowMs()),
      verify: (made) => verifySave(made),
      close: async () => undefined,
    };
  },

  exporters: {
    tilesave: (save) => ({
      from: "orthant",
      to: "tilesave",
      unit: "leaves",
      steps: save.index.totals.leaves,
      run: (made, onLeaf) => exportTileSave(save, made, { onLeaf }),
      async verify(made) {
        // Throws if it is invalid: a new folder has no backup to read instead.
        await openTileSave(made);
        return [];
      },
      close: () => save.close(),
    }),
  },
};
