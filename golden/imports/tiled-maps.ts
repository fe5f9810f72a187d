import { deepEqual, equal, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { MemoryDisk } from "@orthant/disk";
import type { Finding } from "@orthant/disk/files";
import { NodeDisk } from "@orthant/disk/node";
import {
  openTiled,
  type TiledLayer,
  type TiledMap,
  type TiledObject,
  tiledTileOf,
} from "@orthant/formats/readers";
import { goldenPath } from "@orthant/testkit/golden";
import { attemptRow, type GoldenRow, type GoldenSuite, parseJson, row } from "../suite.ts";

const FOLDER = "imports/tiled";
const FILES = [
  ...["base64", "csv", "gzip", "xml", "zlib", "zstd"].flatMap((name) => [
    `finite-${name}.tmj`,
    `finite-${name}.tmx`,
  ]),
  "finite-zstd.tiled-written.tmx",
  "hex-csv.tmj",
  "hex-csv.tmx",
  "infinite-csv.tmj",
  "infinite-csv.tmx",
  "infinite-zlib.tiled-written.tmx",
  "infinite-zlib.tmj",
  "infinite-zlib.tmx",
  "infinite-zstd-chunk32x8.tmj",
  "infinite-zstd-chunk32x8.tmx",
];

interface ExpectedMap {
  readonly tilesets: readonly { readonly firstgid: number; readonly name: string }[];
  readonly layers: readonly {
    readonly name: string;
    readonly pieces: readonly (readonly number[])[];
    readonly cells: number;
    readonly counts: Readonly<Record<string, number>>;
    readonly sha256: string;
    readonly samples: readonly (readonly [x: number, y: number, gid: number, state: string])[];
  }[];
}

interface ExpectedObjects {
  readonly objects: readonly Readonly<Record<string, unknown>>[];
  readonly mapProperties: readonly { readonly name: string; readonly value: unknown }[];
}

/** All maps of Tiled, two rows each and one for each layer, and the damaged ones with one row each. */
export const importedTiledSuites: readonly GoldenSuite[] = [
  ...FILES.map((name) => ({
    file: `${FOLDER}/${name}.expected.json`,
    check: (bytes: Uint8Array) => checkMap(name, parseJson<ExpectedMap>(bytes)),
  })),
  {
    file: `${FOLDER}/damaged/EXPECT.json`,
    check: (bytes) =>
      Promise.all(
        Object.keys(parseJson<object>(bytes)).map((file) => attemptRow(file, () => checkDamaged(file))),
      ),
  },
];

async function checkMap(name: string, expected: ExpectedMap): Promise<readonly GoldenRow[]> {
  const folder = goldenPath(FOLDER);
  const map = await openTiled(new NodeDisk(folder), name);
  const objects = parseJson<ExpectedObjects>(await readFile(join(folder, "finite.objects.expected.json")));
  return [
    row(`${name} head`, () => {
      deepEqual(map.findings, []);
      deepEqual(
        map.tilesets.map(({ firstTile, name: tileset }) => [firstTile, tileset]),
        expected.tilesets.map(({ firstgid, name: tileset }) => [firstgid, tileset]),
      );
      equal(map.isInfinite, name.startsWith("infinite"));
    }),
    row(`${name} objects`, () => {
      if (name.startsWith("finite")) checkObjects(map, objects);
      else deepEqual(map.objects, []);
    }),
    ...expected.layers.map((layer, index) =>
      row(`${name} layer ${layer.name}`, () => {
        const found = map.layers[index];
        ok(found !== undefined, "missing");
        equal(found.name, layer.name);
        deepEqual(
          found.pieces.map(({ x, y, width, height }) => [x, y, width, height]),
          layer.pieces,
        );
        const cells = cellsOf(found);
        equal(cells.length, layer.cells);
        deepEqual(countsOf(map, cells), Object.fromEntries(Object.entries(layer.counts).sort()));
        const lines = cells.map(([x, y, number]) => `${x} ${y} ${number}`).join("\n");
        equal(createHash("sha256").update(lines).digest("hex"), layer.sha256);
        const byPlace = new Map(cells.map(([x, y, number]) => [`${x},${y}`, number]));
        for (const [x, y, number, state] of layer.samples) {
          equal(byPlace.get(`${x},${y}`), number);
          equal(stateOf(map, number), state);
        }
      }),
    ),
  ];
}

function cellsOf({ pieces }: TiledLayer): readonly (readonly [number, number, number])[] {
  const cells: [number, number, number][] = [];
  for (const { x, y, width, cells: numbers } of pieces) {
    for (const [at, number] of numbers.entries()) {
      if (number !== 0) cells.push([x + (at % width), y + Math.floor(at / width), number]);
    }
  }
  return cells.sort((a, b) => a[1] - b[1] || a[0] - b[0]);
}

function stateOf({ tilesets }: TiledMap, number: number): string {
  const tile = tiledTileOf(tilesets, number);
  return tile === undefined
    ? "unknown"
    : `${tile.tileset.name}#${tile.id}${tile.flips === "" ? "" : `/${tile.flips}`}`;
}

function countsOf(map: TiledMap, cells: ReturnType<typeof cellsOf>): object {
  const counts = new Map<string, number>();
  for (const [, , number] of cells) {
    const state = stateOf(map, number);
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort());
}

function checkObjects(map: TiledMap, { objects, mapProperties }: ExpectedObjects): void {
  deepEqual(
    map.objects.map(({ id, name, type, x, y, width, height, rotation, tile }) => [
      id,
      name,
      type,
      x,
      y,
      width,
      height,
      rotation,
      tile,
    ]),
    objects.map((object) =>
      ["id", "name", "type", "x", "y", "width", "height", "rotation", "gid"].map((key) => object[key]),
    ),
  );
  deepEqual(
    map.objects.map(({ shape }) => shape),
    ["point", "rectangle", "polygon", "polyline", "ellipse", "tile", "text"],
  );
  const [, zone, polygon, , , , note] = map.objects as unknown as readonly [
    never,
    TiledObject,
    TiledObject,
    never,
    never,
    never,
    TiledObject,
  ];
  deepEqual([...zone.properties], [["level", -3]]);
  deepEqual(polygon.points, [
    [0, 0],
    [32, 0],
    [16, -24.5],
  ]);
  equal(note.text, "Grüße 世界");
  deepEqual(
    [...map.properties],
    mapProperties.map(({ name, value }) => [name, value]),
  );
  const over = map.layers.find(({ name }) => name === "over");
  deepEqual([over?.opacity, over?.isVisible, over?.offset], [0.5, false, [11, -4]]);
}

const DAMAGED: Readonly<Record<string, (map: TiledMap) => void>> = {
  "data-too-short.tmj": (map) => {
    checkFindings(map.findings, /317 of 322 cells/);
    ok(map.layers[0]?.pieces[0]?.cells.subarray(317).every((number) => number === 0));
  },
  "gid-beyond-tilesets.tmj": (map) => {
    checkFindings(map.findings, /1 cells of layer .* tiles of no tileset/);
    equal(stateOf(map, map.layers[0]?.pieces[0]?.cells[0] ?? 0), "unknown");
  },
  "unknown-compression.tmj": (map) => refusesLayer(map, /compression "lzma"/),
  "base64-length-not-multiple-of-4.tmj": (map) => refusesLayer(map, /6 bytes are not whole numbers/),
  "chunks-overlap.tmj": (map) => checkFindings(map.findings, /1 cells .* in two chunks/, /3 of 4 cells/),
  "zlib-bomb.tmj": (map) => refusesLayer(map, /32623 bytes of data for 322 cells/),
};

async function checkDamaged(file: string): Promise<void> {
  // Maps name their tilesets relative to themselves; those of the damaged ones are a folder above.
  const map = await openTiled(await withTilesets(file), file);
  const check = DAMAGED[file];
  ok(check !== undefined, "nothing is known about it");
  check(map);
}

async function withTilesets(file: string): Promise<MemoryDisk> {
  const folder = goldenPath(FOLDER);
  const read = async (...path: readonly string[]): Promise<Uint8Array> =>
    new Uint8Array(await readFile(join(folder, ...path)));
  const files = new Map([
    [file, await read("damaged", file)],
    ["things.tsx", await read("things.tsx")],
    ["things.tsj", await read("things.tsj")],
  ]);
  return new MemoryDisk({ directories: [], files });
}

function refusesLayer(map: TiledMap, pattern: RegExp): void {
  checkFindings(map.findings, pattern);
  deepEqual(map.layers, []);
}

function checkFindings(findings: readonly Finding[], ...patterns: readonly RegExp[]): void {
  const messages = findings.map(({ message }) => message);
  for (const pattern of patterns)
    ok(
      messages.some((message) => pattern.test(message)),
      JSON.stringify(messages),
    );
  equal(messages.length, patterns.length, JSON.stringify(messages));
}
