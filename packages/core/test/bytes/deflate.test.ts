import { deflateSync, gzipSync } from "node:zlib";
import {
  deflateRaw,
  deflateRawOffThread,
  inflateRaw,
  inflateRawOffThread,
  inflateUpTo,
} from "@orthant/core/bytes";
import { streamDeflateRaw, streamInflateRaw, streamInflateUpTo } from "@orthant/core/internal";
import { codeOfRejection, fromHex, Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

/** A stored block of one byte, by hand: last block, no compression, length 1 and its complement, the byte. */
const ONE_BYTE = fromHex("01 0100 feff 2a");

describe.each([
  ["the platform's own", deflateRaw, inflateRaw],
  ["another thread's", deflateRawOffThread, inflateRawOffThread],
  ["streams", streamDeflateRaw, streamInflateRaw],
] as const)("deflate by %s", (_name, deflate, inflate) => {
  test("[S71] reads a stream written by hand", async () => {
    expect(await inflate(ONE_BYTE, 1)).toEqual(Uint8Array.of(42));
  });

  test("[S71] restores the original bytes, whatever their length", async () => {
    const prng = new Prng(1);
    for (const length of [0, 1, 63, 64, 65, 5_000, 200_000]) {
      const bytes = prng.bytes(length).map((byte) => byte & 3);
      const back = await inflate(await deflate(bytes), length);
      expect(Buffer.compare(back, bytes)).toBe(0);
      expect(back.constructor).toBe(Uint8Array);
    }
  });

  test("[S72] refuses a stream whose output is longer or shorter than expected", async () => {
    const zeros = await deflate(new Uint8Array(1_000_000));
    for (const claimed of [0, 1, 999_999, 1_000_001]) {
      expect(await codeOfRejection(async () => inflate(zeros, claimed))).toBe("ORT_DEFLATE");
    }
  });

  test("[S72] refuses a stream truncated at any byte, or no stream at all", async () => {
    const whole = await deflate(new Prng(2).bytes(300));
    for (let length = 0; length < whole.length; length++) {
      const cut = whole.subarray(0, length);
      expect(await codeOfRejection(async () => inflate(cut, 300))).toBe("ORT_DEFLATE");
    }
    expect(await codeOfRejection(async () => inflate(fromHex("ff ff 01"), 3))).toBe("ORT_DEFLATE");
  });
});

test("[S71] both implementations read each other's output", async () => {
  const bytes = new Prng(3).bytes(10_000).map((byte) => byte & 7);
  expect(await streamInflateRaw(await deflateRaw(bytes), bytes.length)).toEqual(bytes);
  expect(await inflateRaw(await streamDeflateRaw(bytes), bytes.length)).toEqual(bytes);
});

test("[S71] another thread writes the same bytes", async () => {
  for (const length of [0, 100, 70_000]) {
    const bytes = new Prng(5).bytes(length).map((byte) => byte & 7);
    expect(await deflateRawOffThread(bytes)).toEqual(await deflateRaw(bytes));
  }
});

test("[S72] bytes after the end of a stream are refused", async () => {
  const longer = Uint8Array.of(...ONE_BYTE, 0);
  expect(await codeOfRejection(inflateRawOffThread(longer, 1))).toBe("ORT_DEFLATE");
  expect(await codeOfRejection(async () => inflateRaw(longer, 1))).toBe("ORT_DEFLATE");
});

test("[S72] a stream of a hundred megabytes takes no more memory than requested", async () => {
  const bomb = await deflateRaw(new Uint8Array(100_000_000));
  expect(bomb.length).toBeLessThan(500_000);
  const before = process.memoryUsage().arrayBuffers;
  expect(await codeOfRejection(async () => inflateRaw(bomb, 1_000))).toBe("ORT_DEFLATE");
  expect(await codeOfRejection(() => streamInflateRaw(bomb, 1_000))).toBe("ORT_DEFLATE");
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
});

describe.each([
  ["the platform's own", inflateUpTo],
  ["streams", streamInflateUpTo],
] as const)("inflateUpTo by %s", (_name, inflate) => {
  const bytes = new Prng(4).bytes(70_000).map((byte) => byte & 3);
  const wrapped = { zlib: new Uint8Array(deflateSync(bytes)), gzip: new Uint8Array(gzipSync(bytes)) };

  test.each(["zlib", "gzip"] as const)(
    "decompresses %s up to the limit, and no byte more",
    async (wrapping) => {
      const stream = wrapped[wrapping];
      expect(Buffer.compare(await inflate(stream, wrapping, bytes.length), bytes)).toBe(0);
      expect(await codeOfRejection(async () => inflate(stream, wrapping, bytes.length - 1))).toBe(
        "ORT_LIMIT",
      );
    },
  );

  test.each(["zlib", "gzip"] as const)("refuses %s that is cut or of another kind", async (wrapping) => {
    const stream = wrapped[wrapping];
    for (const length of [0, 1, 9, stream.length - 5]) {
      const cut = stream.subarray(0, length);
      expect(await codeOfRejection(async () => inflate(cut, wrapping, 100_000))).toBe("ORT_DEFLATE");
    }
    const other = wrapped[wrapping === "zlib" ? "gzip" : "zlib"];
    expect(await codeOfRejection(async () => inflate(other, wrapping, 100_000))).toBe("ORT_DEFLATE");
  });
});
