import { execFileSync } from "node:child_process";
import { lz4Compress, lz4Decompress } from "@orthant/pixel-world/internal";
import { codeOf, fromHex, Prng, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

/** Whether Debian's `lz4` tool is installed. */
function findLz4(): boolean {
  try {
    execFileSync("lz4", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the only block of a frame without checksums, as `lz4 -B4 --no-frame-crc` writes it for short input.
 */
function blockOfFrame(frame: Uint8Array): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset);
  const hasContentSize = ((frame[4] ?? 0) & 0x08) !== 0;
  const start = hasContentSize ? 15 : 7;
  return frame.subarray(start + 4, start + 4 + view.getUint32(start, true));
}

function comesBack(bytes: Uint8Array): boolean {
  return Buffer.compare(lz4Decompress(lz4Compress(bytes), bytes.length), bytes) === 0;
}

describe("LZ4 blocks", () => {
  test("[X1] blocks from the LZ4 specification decompress correctly", () => {
    // Four literals.
    expect(toHex(lz4Decompress(fromHex("40 01020304"), 4))).toBe("01020304");
    // One literal, then a match of 4 + 15 + 1 that overlaps itself, then five literals.
    expect(toHex(lz4Decompress(fromHex("1f aa 0100 01 50 0102030405"), 26))).toBe(
      `${"aa".repeat(21)}0102030405`,
    );
  });

  test.each([
    ["a match offset of 0", "1f aa 0000 01 50 0102030405", 26],
    ["a match that begins before the block", "1f aa 0200 01 50 0102030405", 26],
    ["literals that are not there", "40 0102", 4],
    ["a length without an end", "f0 ff", 4],
    ["a match length without an end", "1f aa 0100 ff", 4],
    ["an offset of one byte", "10 aa 01", 4],
    ["fewer bytes than asked for", "40 01020304", 5],
    ["more bytes than asked for", "40 01020304", 3],
    ["a match past the end", "1f aa 0100 ff 00 50 0102030405", 26],
    ["no last sequence", "10 aa 0100", 5],
    ["nothing at all", "", 0],
    ["a match without an offset in the last sequence", "41 01020304", 4],
  ])("[X1] the decoder rejects %s", (_what, hex, length) => {
    expect(codeOf(() => lz4Decompress(fromHex(hex), length))).toBe("ORT_LZ4");
  });

  test("[X1] the decoder rejects a block truncated at any byte", () => {
    const bytes = Uint8Array.from({ length: 3_000 }, (_, at) => (at % 97) ^ (at >> 5));
    const block = lz4Compress(bytes);
    for (let length = 0; length < block.length; length++) {
      expect(codeOf(() => lz4Decompress(block.subarray(0, length), bytes.length))).toBe("ORT_LZ4");
    }
  });

  test("[X1] arbitrary bytes survive compression and decompression", () => {
    const prng = new Prng(4);
    for (let round = 0; round < 300; round++) {
      const bytes = prng.bytes(prng.below(5_000)).map((byte) => (prng.chance(0.5) ? byte & 3 : byte));
      const repeated = Uint8Array.from([...bytes, ...bytes.subarray(0, prng.below(bytes.length + 1))]);
      expect(comesBack(repeated)).toBe(true);
    }
    for (const length of [0, 1, 4, 11, 12, 13, 64, 65_535, 65_536, 200_000]) {
      expect(comesBack(new Uint8Array(length))).toBe(true);
    }
  });

  test.skipIf(!findLz4())("[X1] blocks are compatible with Debian's lz4 in both directions", () => {
    const bytes = Uint8Array.from({ length: 50_000 }, (_, at) => (at % 251) ^ ((at >> 9) * 7));
    const frame = execFileSync("lz4", ["-c", "-B4", "--no-frame-crc", "-"], { input: bytes });
    expect(Buffer.compare(lz4Decompress(blockOfFrame(frame), bytes.length), bytes)).toBe(0);
    const block = lz4Compress(bytes);
    // A legacy frame: its magic, the size of the block, the block.
    const legacy = Buffer.alloc(8 + block.length);
    legacy.writeUInt32LE(0x184c_2102, 0);
    legacy.writeUInt32LE(block.length, 4);
    legacy.set(block, 8);
    expect(Buffer.compare(execFileSync("lz4", ["-d", "-c", "-"], { input: legacy }), bytes)).toBe(0);
  });
});
