import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Disk,
  FileGuard,
  GatedDisk,
  isWithin,
  MemoryDisk,
  nameOf,
  OverlayDisk,
  parentOf,
} from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import type { Prng } from "@orthant/testkit";
import {
  type Arguments,
  constructorTargets,
  functionTargets,
  methodTargets,
  type Stage,
  type Target,
} from "./stage.ts";

const PATHS = ["a", "b", "folder/c", "folder"] as const;

/** Calls disks of every kind, in memory and in a real folder, and the files on them. */
export const diskStage: Stage = {
  name: "disk",
  async open() {
    const folder = await mkdtemp(join(tmpdir(), "orthant-rubbish-"));
    const memory = new MemoryDisk();
    const node = new NodeDisk(folder);
    const gated = new GatedDisk(new MemoryDisk(), (_, happen) => happen());
    const overlay = new OverlayDisk(new MemoryDisk());
    for (const disk of [memory, node, gated, overlay]) await disk.makeDirectory("folder");
    const [memoryFile, nodeFile] = [await memory.open("file", "create"), await node.open("file", "create")];
    const overlayFile = await overlay.open("file", "create");
    const guard = new FileGuard("file", "write");
    return {
      targets: [
        ...diskTargets("MemoryDisk", memory),
        ...diskTargets("NodeDisk", node),
        ...diskTargets("GatedDisk", gated),
        ...diskTargets("OverlayDisk", overlay),
        ...methodTargets("MemoryDisk", memory, { image: () => [], moveDirectory: () => ["folder", "moved"] }),
        ...methodTargets("NodeDisk", node, { moveDirectory: () => ["folder", "moved"] }),
        ...methodTargets("MemoryFile", memoryFile, FILE_METHODS, { mayAllocate: true }),
        ...methodTargets("NodeFile", nodeFile, FILE_METHODS),
        ...methodTargets("OverlayFile", overlayFile, FILE_METHODS, { mayAllocate: true }),
        ...methodTargets("FileGuard", guard, {
          requireOpen: () => ["read"],
          requireWritable: () => ["append"],
          requireWrite: (prng) => ["append", prng.bytes(3), 5],
          requireInside: () => [0, 1, 2],
          failSync: () => [],
          close: () => [],
        }),
        ...functionTargets({
          isWithin: [isWithin, (prng) => [prng.pick(PATHS), prng.pick(PATHS)]],
          nameOf: [nameOf, (prng) => [prng.pick(PATHS)]],
          parentOf: [parentOf, (prng) => [prng.pick(PATHS)]],
        }),
        ...constructorTargets({
          MemoryDisk: [
            MemoryDisk,
            () => [{ directories: ["a"], files: new Map([["a/b", new Uint8Array(3)]]) }],
          ],
          OverlayDisk: [OverlayDisk, () => [memory]],
          GatedDisk: [GatedDisk, () => [memory, (_: unknown, happen: () => unknown) => happen()]],
          FileGuard: [FileGuard, () => ["file", "write"]],
          NodeDisk: [NodeDisk, () => [folder]],
        }),
      ],
      finish: async () => {
        await Promise.all([memoryFile.close(), nodeFile.close(), overlayFile.close()]);
        await rm(folder, { recursive: true });
        return [];
      },
    };
  },
};

const path: (prng: Prng) => string = (prng) => prng.pick(PATHS);

/** Lengths stay small: a file that grows is memory. */
const FILE_METHODS: Readonly<Record<string, Arguments>> = {
  size: () => [],
  readAt: () => [0, 1],
  append: (prng) => [prng.bytes(3)],
  writeAt: (prng) => [prng.below(8), prng.bytes(3)],
  writeDurably: (prng) => [prng.below(8), prng.bytes(3)],
  truncate: (prng) => [prng.below(100)],
  sync: () => [],
};

function diskTargets(name: string, disk: Disk): readonly Target[] {
  return [
    ...methodTargets(
      name,
      disk,
      { open: (prng) => [path(prng), prng.pick(["read", "write", "create"])] },
      { dispose: (file) => (file as { close(): Promise<void> }).close() },
    ),
    ...methodTargets(name, disk, {
      rename: (prng) => [path(prng), path(prng)],
      remove: (prng) => [path(prng)],
      list: (prng) => [prng.pick(["", "folder"])],
      makeDirectory: (prng) => [path(prng)],
      syncDirectory: (prng) => [prng.pick(["", "folder"])],
    }),
    ...methodTargets(
      name,
      disk,
      { lock: () => ["world.lock"] },
      { dispose: (lock) => (lock as { release(): Promise<void> }).release() },
    ),
  ];
}
