import { deflateSync, gzipSync } from "node:zlib";
import { MemoryDisk } from "@orthant/disk";
import type * as Imports from "@orthant/formats/readers";
import type { NbtCompound } from "@orthant/formats/readers";
import { lenient, type Target, type TargetLimits } from "../fuzz/decoders.ts";
import { hostileBytes } from "./hostile-bytes.ts";
import { hostileNbt } from "./hostile-nbt.ts";
import {
  cellSamples,
  columnSamples,
  compressedSamples,
  levelSample,
  schematicSamples,
  tmjSamples,
  tmxSamples,
  voxSamples,
} from "./import-samples.ts";
import { block28Samples, block29Samples, databaseOf, sqliteSamples, zstdSamples } from "./luanti-samples.ts";

const SECTOR = 4_096;
const NODES = deflateSync(new Uint8Array(4_096 * 4));
const PLAIN_NODES = new Uint8Array(4_096 * 4);
const SCHEMATIC_LIMITS = { bytesMax: 1_048_576, voxelsMax: 32_768 };
const TAGS_MAX = 4_096;
/** Models of a scene whose voxels are visited. */
const INSTANCES_MAX = 64;
/** A column has sections of 8 KiB that a few bytes describe, and a disk in memory around it. */
const LIMITS: TargetLimits = { callBytes: 393_216, batchMs: 10_000 };

/** Every reader of `@orthant/formats/readers`, or of a copy with a fault: content behind the compression, and files as they are. */
export function importTargets(readers: typeof Imports): readonly Target[] {
  const files = new ImportReaders(readers);
  return [
    nbtTarget("NBT", (input) => files.nbt(input), [...schematicSamples, levelSample, ...columnSamples]),
    nbtTarget("column of a region", (input) => files.column(input), columnSamples),
    target("region", (input) => files.region(input), [regionSample(0), regionSample(1)]),
    nbtTarget("level.dat", (input) => files.level(input), [levelSample]),
    nbtTarget("schematic", (input) => files.schematic(input), schematicSamples),
    target("compressed schematic", (input) => files.compressed(input), compressedSamples),
    target("MagicaVoxel", (input) => files.vox(input), voxSamples),
    target("Tiled, JSON", (input) => files.tiled(input), tmjSamples),
    target("Tiled, XML", (input) => files.tiled(input), tmxSamples),
    target("cells of Tiled", (input) => files.cells(input), cellSamples),
    target("block of Luanti, version 29", (input) => files.block29(input), block29Samples),
    target("block of Luanti, version 28", (input) => files.block28(input), block28Samples),
    target("Zstandard", (input) => files.zstd(input), zstdSamples),
    target("SQLite", (input) => files.luanti(input), sqliteSamples),
  ];
}

function target(name: string, read: (input: Uint8Array) => unknown, samples: readonly Uint8Array[]): Target {
  return { ...lenient(name, read, samples, LIMITS), mutate: (prng) => hostileBytes(samples, prng) };
}

function nbtTarget(
  name: string,
  read: (input: Uint8Array) => unknown,
  samples: readonly Uint8Array[],
): Target {
  return { ...lenient(name, read, samples, LIMITS), mutate: hostileNbt(samples) };
}

/** The start of the header with two slots, then the sectors. */
function regionSample(sample: number): Uint8Array {
  const bytes = columnSamples[sample] ?? new Uint8Array(0);
  const input = new Uint8Array(8 + SECTOR + 5 + bytes.length);
  const view = new DataView(input.buffer);
  const sectors = Math.ceil((bytes.length + 5) / SECTOR);
  view.setUint32(0, (2 << 8) | sectors);
  view.setUint32(4, (2 << 8) | 1);
  view.setUint32(8, bytes.length + 1);
  input[12] = 3;
  input.set(bytes, 13);
  return input;
}

class ImportReaders {
  readonly #readers: typeof Imports;

  constructor(readers: typeof Imports) {
    this.#readers = readers;
  }

  nbt(input: Uint8Array): void {
    this.#walk(this.#readers.readNbt(input).root, 0);
  }

  /** Wraps NBT in a region, with each kind of compression in turn. */
  async column(input: Uint8Array): Promise<void> {
    const type = (input.length % 4) + 1;
    const bytes =
      type === 1 ? gzipSync(input) : type === 2 ? deflateSync(input) : type === 3 ? input : lz4Stream(input);
    const sectors = Math.ceil((bytes.length + 5) / SECTOR);
    const file = new Uint8Array(SECTOR * (2 + sectors));
    const view = new DataView(file.buffer);
    view.setUint32(0, (2 << 8) | sectors);
    view.setUint32(2 * SECTOR, bytes.length + 1);
    file[2 * SECTOR + 4] = type;
    file.set(bytes, 2 * SECTOR + 5);
    await this.#region(file);
  }

  async region(input: Uint8Array): Promise<void> {
    const file = new Uint8Array(2 * SECTOR + Math.max(0, input.length - 8));
    file.set(input.subarray(0, 8));
    file.set(input.subarray(8), 2 * SECTOR);
    await this.#region(file);
  }

  level(input: Uint8Array): Promise<unknown> {
    return this.#readers.readMinecraftLevel(input);
  }

  async schematic(input: Uint8Array): Promise<void> {
    const { parts } = await this.#readers.openSchematic(
      input.length % 2 === 0 ? input : gzipSync(input),
      "a.schem",
      SCHEMATIC_LIMITS,
    );
    for (const { blockData, entities } of parts) {
      for (const { nbt } of [...blockData, ...entities]) this.#readers.readNbtCompound(nbt).toMap(TAGS_MAX);
    }
  }

  compressed(input: Uint8Array): Promise<unknown> {
    return this.#readers.openSchematic(input, "a.schem", SCHEMATIC_LIMITS);
  }

  vox(input: Uint8Array): void {
    const file = this.#readers.openVox(input, "a.vox");
    for (const frame of [0, ...file.keyFrames.slice(0, 4)]) {
      for (const instance of file.instancesAt(frame).slice(0, INSTANCES_MAX)) {
        const model = file.models[instance.model];
        if (model !== undefined) this.#readers.visitVoxels(model, instance, () => undefined);
      }
    }
  }

  async tiled(input: Uint8Array): Promise<void> {
    const files = new Map([
      ["a.tmj", input],
      ["b.tsj", new TextEncoder().encode(`{"name":"b","tilecount":2}`)],
    ]);
    const { tilesets, layers } = await this.#readers.openTiled(
      new MemoryDisk({ directories: [], files }),
      "a.tmj",
    );
    for (const number of layers[0]?.pieces[0]?.cells.subarray(0, 16) ?? []) {
      this.#readers.tiledTileOf(tilesets, number);
    }
  }

  /** The first byte chooses the compression. */
  cells(input: Uint8Array): Promise<void> {
    const compression = ["", "zlib", "gzip", "zstd"][(input[0] ?? 0) & 3];
    const data = Buffer.from(input.subarray(1)).toString("base64");
    const layer = { type: "tilelayer", width: 16, height: 16, encoding: "base64", compression, data };
    const json = JSON.stringify({ tilewidth: 1, tileheight: 1, layers: [layer] });
    return this.tiled(new TextEncoder().encode(json));
  }

  block29(input: Uint8Array): Promise<void> {
    const [before, after] = splitInput(input);
    const size = before.length + PLAIN_NODES.length + after.length;
    const block = new Uint8Array(14 + size);
    const view = new DataView(block.buffer);
    block.set([29, 0x28, 0xb5, 0x2f, 0xfd, 0x80, 0x38]);
    view.setUint32(7, size, true);
    const head = size * 8 + 1;
    block.set([head & 0xff, (head >>> 8) & 0xff, (head >>> 16) & 0xff], 11);
    block.set(before, 14);
    block.set(PLAIN_NODES, 14 + before.length);
    block.set(after, 14 + before.length + PLAIN_NODES.length);
    return this.luanti(databaseOf(block));
  }

  block28(input: Uint8Array): Promise<void> {
    const [before, after] = splitInput(input);
    return this.luanti(
      databaseOf(Buffer.concat([Uint8Array.of(28, 0, 0, 0, 2, 2), NODES, deflateSync(before), after])),
    );
  }

  zstd(input: Uint8Array): Promise<void> {
    return this.luanti(databaseOf(Buffer.concat([Uint8Array.of(29), input])));
  }

  async luanti(input: Uint8Array): Promise<void> {
    const disk = new MemoryDisk({ directories: [], files: new Map([["map.sqlite", input]]) });
    const world = await this.#readers.openLuanti(disk, "map.sqlite");
    try {
      for await (const { nodeData } of world.blocks()) nodeData.length.toString();
    } finally {
      await world.close();
    }
  }

  async #region(file: Uint8Array): Promise<void> {
    const disk = new MemoryDisk({ directories: [], files: new Map([["r.0.0.mca", file]]) });
    const region = await this.#readers.openRegion(disk, "r.0.0.mca");
    try {
      for await (const { blockData, entities } of region.columns()) {
        for (const { nbt } of [...blockData, ...entities]) this.#readers.readNbtCompound(nbt).toMap(TAGS_MAX);
      }
    } finally {
      await region.close();
    }
  }

  #walk(compound: NbtCompound, depth: number): void {
    for (const name of compound.names.slice(0, 32)) {
      compound.integer(name);
      compound.long(name);
      compound.text(name);
      compound.bytes(name);
      compound.longs(name);
      compound.triple(name);
      compound.count(name);
      const inner = compound.compound(name);
      if (inner !== undefined && depth < 8) this.#walk(inner, depth + 1);
      let left = 8;
      for (const element of compound.compounds(name)) {
        if (left-- === 0) break;
        if (depth < 8) this.#walk(element, depth + 1);
      }
    }
    if (depth === 0) this.#readers.readNbtCompound(compound.toBytes()).toMap(TAGS_MAX);
  }
}

function splitInput(input: Uint8Array): readonly [before: Uint8Array, after: Uint8Array] {
  const length = ((input[0] ?? 0) << 8) | (input[1] ?? 0);
  return [input.subarray(2, 2 + length), input.subarray(2 + length)];
}

/** The framing of lz4-java, with one block that is not compressed, and an empty one. */
function lz4Stream(bytes: Uint8Array): Uint8Array {
  const stream = new Uint8Array(42 + bytes.length);
  const view = new DataView(stream.buffer);
  const magic = new TextEncoder().encode("LZ4Block");
  for (const [at, length] of [
    [0, bytes.length],
    [21 + bytes.length, 0],
  ] as const) {
    stream.set(magic, at);
    stream[at + 8] = 0x10;
    view.setInt32(at + 9, length, true);
    view.setInt32(at + 13, length, true);
  }
  stream.set(bytes, 21);
  return stream;
}
