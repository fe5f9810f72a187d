import { type ErrorCode, isOrthantError, type Position } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { type ChunkEdits, type RegionPatch, regionPatchCodec } from "@orthant/core/tree";
import { codeOf, fromHex, Prng, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { change } from "./region-patch-samples.ts";

const VOLUME = 4_096;
const codec = regionPatchCodec(VOLUME);

function patch(...edits: readonly ChunkEdits[]): RegionPatch {
  return { patchSeq: 7, changes: [change({ edits })] };
}

/** Returns one edit in each of the first `chunks` chunks, all with the same block. */
function scattered(chunks: number, index: number): readonly ChunkEdits[] {
  return Array.from({ length: chunks }, (_, cell) => {
    const chunk: Position = [cell >> 6, (cell >> 4) & 3, (cell >> 2) & 3, cell & 3];
    return { chunk, edits: [{ index, block: 9 }] };
  });
}

/** Patch 7, epoch 3, no generators, one change of the region at the origin, from change 5 to 6, without leaves. */
const head = (progress: string): string => `07 03 00 01 00000000 ${progress} 0a 0c 00`;

describe("[P25] edits of a region", () => {
  test("are packed from eight voxels on", () => {
    expect(toHex(encode(codec, patch(...scattered(7, 0))))).toBe(
      toHex(
        fromHex(
          `${head("00")} 07 ${["00", "01", "02", "03", "04", "05", "06"].map((cell) => `${cell}010009`).join("")}`,
        ),
      ),
    );
    const eight = patch(...scattered(8, 0));
    const bytes = encode(codec, eight);
    expect(bytes[8]).toBe(0x20);
    expect(bytes.length).toBeLessThan(12 + 8 * 4);
    expect(decode(codec, bytes)).toEqual(eight);
  });

  test.each([8, 9, 60, VOLUME])(
    "come back if they are %i voxels in a row, in less than a byte each",
    (length) => {
      const row = patch({
        chunk: [0, 0, 0, 0],
        edits: Array.from({ length }, (_, index) => ({ index, block: 3 })),
      });
      const bytes = encode(codec, row);
      expect(bytes.length - 12).toBeLessThan(length);
      expect(decode(codec, bytes)).toEqual(row);
    },
  );

  test("are listed if that takes no more bytes", () => {
    // Seven beside each other and one at the other end of the region.
    const row = Array.from({ length: 7 }, (_, index) => ({ index, block: 1 }));
    const listed = patch(
      { chunk: [0, 0, 0, 0], edits: row },
      { chunk: [3, 3, 3, 3], edits: [{ index: VOLUME - 1, block: 1 }] },
    );
    const bytes = encode(codec, listed);
    expect(bytes[8]).toBe(0);
    expect(decode(codec, bytes)).toEqual(listed);
  });

  test("come back as they were, and take about half the bytes where players build", () => {
    const prng = new Prng(5);
    let packedBytes = 0;
    for (let seed = 0; seed < 200; seed++) {
      const cells = Array.from({ length: 20 }, () => prng.below(256));
      const edits = [...new Set(cells)]
        .sort((a, b) => a - b)
        .map((cell) => {
          const indexes = Array.from({ length: prng.between(1, 3) }, () => prng.below(VOLUME));
          return {
            chunk: [cell >> 6, (cell >> 4) & 3, (cell >> 2) & 3, cell & 3] as Position,
            edits: [...new Set(indexes)]
              .sort((a, b) => a - b)
              .map((index) => ({ index, block: prng.below(12) })),
          };
        });
      const bytes = encode(codec, patch(...edits));
      expect(decode(codec, bytes), `seed ${seed}`).toEqual(patch(...edits));
      const voxels = edits.reduce((sum, { edits: { length } }) => sum + length, 0);
      packedBytes += (bytes.length - 12) / voxels;
    }
    expect(packedBytes / 200, "bytes for a voxel").toBeLessThan(3);
  });

  test("packed edits with changed bytes are refused or still have one encoding", () => {
    let taken = 0;
    const bytes = encode(codec, patch(...scattered(20, 300)));
    const prng = new Prng(9);
    for (let turn = 0; turn < 3_000; turn++) {
      const changed = bytes.slice();
      changed[8 + prng.below(changed.length - 8)] = prng.below(256);
      try {
        const again = encode(codec, decode(codec, changed));
        expect(toHex(again)).toBe(toHex(changed));
        taken++;
      } catch (error) {
        if (!isOrthantError(error)) throw error;
      }
    }
    expect(taken).toBeGreaterThan(0);
  });

  test.each<[name: string, hex: string, code: ErrorCode]>([
    ["that should be listed", `${head("20")} 01 00 00`, "ORT_PATCH_FORM"],
    ["of none", `${head("20")} 00 00`, "ORT_PATCH_FORM"],
    ["that are cut", `${head("20")} 08 0b`, "ORT_TRUNCATED"],
    [
      "that should be packed",
      `${head("00")} 08 ${Array.from({ length: 8 }, (_, cell) => `0${cell}010009`).join("")}`,
      "ORT_PATCH_FORM",
    ],
    ["of more voxels than fit into the rest", `${head("20")} 09 0000`, "ORT_TRUNCATED"],
    ["of more voxels than a region has", `${head("20")} 81808001`, "ORT_LIMIT"],
    ["with a gap past all regions", `${head("20")} 08 ${"ff".repeat(9_000)}`, "ORT_LIMIT"],
  ])("are refused: %s", (_name, hex, code) => {
    expect(codeOf(() => decode(codec, fromHex(hex)))).toBe(code);
  });
});
