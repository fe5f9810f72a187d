import { MemoryDisk } from "@orthant/disk";
import { openTiled } from "@orthant/formats/readers";
import { describe, expect, test } from "vitest";

const CELLS = 512;
const REPEAT_EVERY = 7;
/** The reference implementation made this of {@link cells}, at level 19: Huffman codes in four streams, tables of all kinds. */
const FRAME = [
  "KLUv/WAABw0gALpa7AwwgPS0GV3fw7O8eSb5Ckh8jzdSulyPE7JaeJhQJi8OtenfL/Yn8fEEGSBt772l3FKmugDEAL8AXqt79f5A",
  "3Gn9eXuO7kLFMU3r25NnYkf1h6dTMk3GH9ic1rOuHfHGzudl9rw+5QI8L3erOMyFvclc1zxzPO4y3J366zM34hmr0/krm3bn7sVf",
  "gbG+X3m2tTf2Ujbv2te55l7MMbgLuyv7xnXX5g/roO6KzCGaW3An5BuVvRR/YtO25tD8tXiaOTxzqeZc3HX97aldmjZhm4lnN/7e",
  "fGzOw13dqTmZ29im5NqLb4CusZnj2gMxR2Nv1AUFzzzsMRflz8wzIt86cDFor/YAHPAGM7C5IXOM9hzsfZpGiOv0Qs8xN+lQfobT",
  "Mrfkr8x3TCPrwp6R2rswtzU35Q7SLxySf7jzlMY1O3uZ7gJcO+PXXad47oCc1TPPssfpbsPFcFjuymgqjmYOUA3CX8xVmauAlWb2",
  "Yy7GnJ29sEt51nVf06rcbeFaTSPi7bjzbIxV4Gr+2nwUPvan8PeVoKttUrbp2SObs/KswBl8jz6wf+0B6E7cQbKrmtsR1FyTM9im",
  "6GuGvkYv+4YPfuqL8MfhbsQcmL89r/FF2Maj2K1LVN+aa/EMxbMTp0TTmhOwB2WvzhzYtyHv7IF4FuJFruOKOrE7OHOrviX6ObIs",
  "rWki5gZtC3Uue0C8UHuepk34mzIn50hm+IPyBO96m2uAaD7C2JOQxb3mXHT0p3XnZdpevtqzLuSubJg5S3ukpmF4pGtg3pBnFr7o",
  "Cjod3TxQAaey1+RmYA7CHJ6PpkHpEnx79GfkXttS3K26Y9uaM3gG4GMBf2D2kDwTu1Pi+aiRcXAOhkN0EXdj7rqu5mS2GN8qeXnW",
  "bQPbk9CR2OMwjdTenz8c37CW7W36tnXHNc3KXZKa156daxhmki7KOzO34g9I1+Jdhj3VNCx7LR7iD0FJVUxjk6XEI/AjfwrupnCm",
  "ZifmenQzuDTzfMRYfrbV5rj8zcn1bi/OsyNzNq6F+ALN9TmGuRF/mObCapqDdKdhbs+55rxZpKHmmMy9mhZk2JyG95nD8K45MW13",
  "eeYOvMTdozvBAuMw/dDf2GaoEUAkIkCWCAgjAqQEMsJtBkCEEDKnPDBEwOeTPLc/mcHh91zm821B12zM/4c//7cPdtCYBBdwp+7N",
  "F03LOhyu8eIi35WucsmLxMM+0MdtNvXZ+Uss6UV+4zNcYMH85r+54mMhY4TbFtfwGyxjZvOYE/xP2QEsD1f2TDR4W276arDdjE/K",
  "irX/L28MLRruC392jfMTb0RSZT9/Q0cs2zd8SBcX6PJB+Vl+Plc/38WUdwqvJE3QLAw8g3Ck1JdWDlnU",
].join("");
const HEAD = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58];

/** Cells with some repetitions, by a generator that anybody can write. */
function cells(): number[] {
  const words: number[] = [];
  let seed = 1;
  for (let at = 0; at < CELLS; at++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    const isRepeated = at % REPEAT_EVERY === 3 && at > 60;
    const earlier = words[at - ((seed >>> 16) % 50) - 1] ?? 0;
    words.push(isRepeated ? earlier : ((seed >>> 16) % 200) * ((seed >>> 28) + 1));
  }
  return words;
}

/** Reads a frame as the cells of a map; returns them, or what is said about them. */
async function read(frame: Uint8Array): Promise<readonly number[] | string> {
  const layer = {
    type: "tilelayer",
    width: CELLS,
    height: 1,
    encoding: "base64",
    compression: "zstd",
    data: Buffer.from(frame).toString("base64"),
  };
  const tilesets = [{ firstgid: 1, tilecount: 100_000 }];
  const json = JSON.stringify({ tilewidth: 1, tileheight: 1, tilesets, layers: [layer] });
  const disk = new MemoryDisk({
    directories: [],
    files: new Map([["a.tmj", new TextEncoder().encode(json)]]),
  });
  const map = await openTiled(disk, "a.tmj");
  const [piece] = map.layers[0]?.pieces ?? [];
  return piece === undefined ? map.findings.map(({ code }) => code).join() : [...piece.cells];
}

/** A frame with one compressed block. */
function frameOf(body: readonly number[]): Uint8Array {
  const head = (body.length << 3) | (2 << 1) | 1;
  return Uint8Array.of(...HEAD, head & 0xff, (head >>> 8) & 0xff, head >>> 16, ...body);
}

describe("Zstandard", () => {
  test("[IM54] reads what the reference implementation writes", async () => {
    expect(await read(Buffer.from(FRAME, "base64"))).toEqual(cells());
  });

  test("[IM54] refuses a frame that is cut anywhere", async () => {
    const frame = Buffer.from(FRAME, "base64");
    for (let length = 0; length < frame.length; length++) {
      expect(await read(frame.subarray(0, length)), String(length)).toBe("ORT_DEFLATE");
    }
  });

  test("[IM54] ends at once for 98,303 matches of 65,539 bytes in a block of 14", async () => {
    const modes = (1 << 6) | (1 << 4) | (1 << 2);
    const bomb = frameOf([0x09, 0x41, 0xff, 0xff, 0xff, modes, 0, 0, 52, 0xff, 0xff, 0xff, 0xff, 1]);
    const startCpu = process.cpuUsage();
    expect(await read(bomb)).toBe("ORT_DEFLATE");
    expect(process.cpuUsage(startCpu).user).toBeLessThan(1_000_000);
  });

  test.each([
    ["more literals than a block has", [0x0d, 0xff, 0xff, 0x41, 0]],
    ["matches before the first byte", [0x08, 0x41, 1, 0x54, 0, 5, 0, 0x21]],
    ["a table from nowhere", [0x08, 0x41, 1, 0xfc, 1]],
    ["bits without an end", [0x08, 0x41, 1, 0x54, 0, 0, 0, 0]],
  ])("[IM54] refuses %s", async (_name, body) => {
    expect(await read(frameOf(body))).toBe("ORT_DEFLATE");
  });
});
