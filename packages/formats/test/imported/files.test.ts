import { basename } from "node:path";
import { MemoryDisk } from "@orthant/disk";
import { flattenBlock } from "@orthant/formats/readers";
import { codeOfRejection } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import {
  convertedWorld,
  expectationOf,
  expectedFiles,
  goldenDisk,
  hasBorrowed,
  requestOf,
} from "./samples.ts";

type Place = readonly [x: number, y: number, z: number];

interface ExpectedSchematic {
  readonly counts: Readonly<Record<string, number>>;
  readonly samples: readonly (readonly [...Place, string])[];
  readonly blockEntities: readonly { readonly pos: Place }[];
  readonly entities: readonly string[];
  readonly regions?: unknown;
}

/** A state as a world has it: by name, with all properties that others of its name have. */
function nameOf(state: string): string {
  const named = /^\d/.test(state) ? (flattenBlock(state)?.state ?? state) : state;
  return named.replace(/\[.*$/, "");
}

const isAir = (name: string): boolean => /^(?:minecraft:)?(?:cave_|void_)?air$/.test(name);

describe("a schematic as a world", () => {
  test.each(expectedFiles("schematics"))("[IM80] %s keeps every voxel and all data", async (path) => {
    const expected = expectationOf<ExpectedSchematic>(path);
    const { voxels, data, losses } = await convertedWorld(goldenDisk(path), basename(path));
    const counts = new Map<string, number>();
    for (const label of voxels.values()) counts.set(nameOf(label), (counts.get(nameOf(label)) ?? 0) + 1);
    if (expected.regions === undefined) {
      const wanted = new Map<string, number>();
      for (const [state, count] of Object.entries(expected.counts)) {
        const name = nameOf(state);
        if (!isAir(name)) wanted.set(name, (wanted.get(name) ?? 0) + count);
      }
      expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(wanted));
    }
    for (const [x, y, z, state] of expected.samples ?? []) {
      const found = voxels.get(`${x},${y},${z}`) ?? "air";
      const isSame = isAir(nameOf(state)) ? found === "air" : nameOf(found) === nameOf(state);
      expect(isSame, `${found} for ${state} at ${x},${y},${z}`).toBe(true);
      for (const pair of /\[(.*)\]/.exec(state)?.[1]?.split(",") ?? []) expect(found).toContain(pair);
    }
    const lostData = losses.find(({ what }) => what === "data of blocks")?.count ?? 0;
    if (expected.blockEntities !== undefined)
      expect(data.size + lostData).toBe(expected.blockEntities.length);
  });

  test.runIf(hasBorrowed)(
    "[IM80] a damaged region costs itself; what cannot be read at all is a finding of verify",
    async () => {
      const disk = goldenDisk("schematics/damaged/x");
      const { losses, voxels } = await convertedWorld(disk, "longs-too-short.litematic");
      expect(losses).toMatchObject([{ what: "damaged parts", count: 1 }]);
      expect(voxels.size).toBe(0);
      const [format, request] = await requestOf(disk, "gzip-cut.schem");
      expect(await format.verify?.(request)).toMatchObject([
        { severity: "damage", code: "ORT_DEFLATE", file: "gzip-cut.schem" },
      ]);
      expect(await codeOfRejection(format.info(request))).toBe("ORT_DEFLATE");
    },
  );
});

interface ExpectedModel {
  readonly countsByColourIndex: Readonly<Record<string, number>>;
  readonly colours: Readonly<Record<string, readonly [number, number, number, number]>>;
  readonly samples: readonly (readonly [...Place, number])[];
  readonly instances: readonly { readonly hidden: boolean; readonly layerHidden: boolean }[];
  readonly keyframes: readonly unknown[];
}

describe("a file of MagicaVoxel as a world", () => {
  test.each(expectedFiles("vox"))("[IM81] %s keeps every voxel, with y up", async (path) => {
    const expected = expectationOf<ExpectedModel>(path);
    const { voxels, colours } = await convertedWorld(goldenDisk(path), basename(path));
    const isAllShown = expected.instances.every(({ hidden, layerHidden }) => !hidden && !layerHidden);
    if (isAllShown && expected.keyframes.length === 0) {
      for (const [x, y, z, colour] of expected.samples)
        expect(voxels.get(`${x},${z},${-1 - y}`)).toBe(`vox:${colour}`);
      const total = Object.values(expected.countsByColourIndex).reduce((sum, count) => sum + count, 0);
      expect(voxels.size).toBe(total);
    }
    for (const [index, [red, green, blue]] of Object.entries(expected.colours)) {
      const found = colours.get(`vox:${index}`);
      if (found !== undefined) expect(found).toBe(red * 65_536 + green * 256 + blue);
    }
  });

  test("[IM81] --frame chooses a moment, and the others are a loss", async () => {
    const disk = goldenDisk("vox/synthetic/x");
    const first = await convertedWorld(disk, "keyframes.vox");
    const later = await convertedWorld(disk, "keyframes.vox", { frame: "1000" });
    expect([...later.voxels.keys()]).not.toEqual([...first.voxels.keys()]);
    expect(first.losses).toMatchObject([{ what: "key frames" }]);
  });
});

interface ExpectedMap {
  readonly layers: readonly {
    readonly name: string;
    readonly counts: Readonly<Record<string, number>>;
    readonly samples: readonly (readonly [x: number, y: number, number: number, state: string])[];
  }[];
}

describe("a map of Tiled as a world of two dimensions", () => {
  test.each(expectedFiles("tiled").filter((path) => /\.tm[jx]$/.test(path)))(
    "[IM82] %s keeps every cell of a layer, with y up",
    async (path) => {
      for (const { name, counts, samples } of expectationOf<ExpectedMap>(path).layers) {
        const { voxels } = await convertedWorld(goldenDisk(path), basename(path), { layer: name });
        const found: Record<string, number> = {};
        for (const label of voxels.values()) {
          const [, tile = "", flip = "none"] = /^([^[]*)(?:\[flip=(\w+)\])?$/.exec(label) ?? [];
          const state = tile.replace(":", "#") + (flip === "none" ? "" : `/${flip}`);
          found[state] = (found[state] ?? 0) + 1;
        }
        const { empty: _, ...wanted } = counts as { readonly empty?: number };
        expect(found).toEqual(wanted);
        expect(samples.length).toBeGreaterThan(0);
        for (const [x, y, , state] of samples) {
          const [tile = "", flip = "none"] = state.replace("#", ":").split("/");
          const label = voxels.get(`${x},${-1 - y},0`) ?? "empty";
          expect(label.replace(/\[flip=none\]$/, "")).toBe(flip === "none" ? tile : `${tile}[flip=${flip}]`);
        }
      }
    },
  );

  test("[IM82] the top layer counts, and what is below or hidden is a loss", async () => {
    const map = {
      tilewidth: 16,
      tileheight: 16,
      tilesets: [{ firstgid: 1, name: "a b[", tilecount: 9 }],
      layers: [
        { type: "tilelayer", name: "low", width: 2, height: 1, data: [1, 2] },
        { type: "tilelayer", name: "high", width: 2, height: 1, data: [0, 3] },
        { type: "tilelayer", name: "secret", width: 2, height: 1, data: [4, 4], visible: false },
      ],
    };
    const bytes = new TextEncoder().encode(JSON.stringify(map));
    const disk = new MemoryDisk({ directories: [], files: new Map([["m.json", bytes]]) });
    const { voxels, losses } = await convertedWorld(disk, "m.json");
    expect(Object.fromEntries(voxels)).toEqual({ "0,-1,0": "a_b_:0", "1,-1,0": "a_b_:2" });
    expect(losses.map(({ what, count }) => [what, count])).toEqual([
      ["tiles below others", 1],
      ["layers", 1],
    ]);
    const [format, request] = await requestOf(disk, "m.json", { layer: "none" });
    expect(await codeOfRejection(format.convert(request, "orthant"))).toBe("ORT_ARGUMENT");
  });
});

interface ExpectedNodes {
  readonly counts: Readonly<Record<string, number>>;
  readonly samples: readonly (readonly [...Place, node: string, param1: number, param2: number])[];
  readonly blockEntities: readonly { readonly pos: Place; readonly data?: { readonly fields: object } }[];
  readonly timers: readonly { readonly pos: Place; readonly timeout: number }[];
}

describe("a world of Luanti as a world", () => {
  test.each(expectedFiles("luanti").filter((path) => !path.includes("leveldb")))(
    "[IM83] %s keeps every node, metadata and timers",
    async (path) => {
      const expected = expectationOf<ExpectedNodes>(path);
      const { voxels, data, losses } = await convertedWorld(goldenDisk(path), undefined);
      const counts: Record<string, number> = {};
      for (const label of voxels.values()) counts[nameOf(label)] = (counts[nameOf(label)] ?? 0) + 1;
      expect(counts).toEqual(expected.counts);
      for (const [x, y, z, node, , param2] of expected.samples) {
        const label = voxels.get(`${x},${y},${-1 - z}`) ?? "air";
        expect(nameOf(label)).toBe(node);
        if (param2 !== 0 && node !== "air") expect(label).toBe(`${node}[param2=${param2}]`);
        else expect(label).toMatch(/^[\w:]+(?:\[param2=0\])?$/);
      }
      let tooLong = 0;
      for (const { pos, data: wanted } of expected.blockEntities) {
        const found = data.get(`${pos[0]},${pos[1]},${-1 - pos[2]}`);
        if (found === undefined) tooLong++;
        else if (wanted !== undefined) expect(found).toMatchObject({ fields: wanted.fields });
      }
      expect(losses.find(({ what }) => what === "data of blocks")?.count).toBe(tooLong);
      for (const { pos, timeout } of expected.timers) {
        expect(data.get(`${pos[0]},${pos[1]},${-1 - pos[2]}`)).toMatchObject({ timer: { timeout } });
      }
    },
  );

  test("[IM83] a map that is not in SQLite is refused with what to do", async () => {
    const [format, request] = await requestOf(goldenDisk("luanti/5.6.1-leveldb/x"), undefined);
    await expect(format.convert(request, "orthant")).rejects.toThrow(/--migrate sqlite3/);
  });
});
