import { isOrthantError, type TimeSource } from "@orthant/core";
import { generatorRef, PLATFORMS_DEFAULTS, platformsGenerator } from "@orthant/core/generate";
import { OpfsDisk, packTar, unpackTar } from "@orthant/disk/browser";
import { isWhole } from "@orthant/disk/files";
import { copyGeneration, hasSave, verifySave } from "@orthant/save";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";

/** The part of the browser's file API that the test needs. */
interface Folder {
  getDirectoryHandle(name: string, options?: { readonly create: boolean }): Promise<Folder>;
  getFileHandle(name: string): Promise<{ move(to: Folder, name: string): Promise<void> }>;
  keys(): AsyncIterable<string>;
}

declare const navigator: { readonly storage: { getDirectory(): Promise<Folder> } };
declare const postMessage: (message: unknown) => void;
declare const addEventListener: (
  type: "message",
  listener: (event: { readonly data: Asked }) => void,
) => void;

interface Asked {
  readonly id: number;
  readonly request: Request;
}

/** Calls a method of an object in the worker; 0 is {@link worker} itself. */
export interface Request {
  readonly target: number;
  readonly method: string;
  readonly parameters: readonly unknown[];
}

/** The result. Objects with methods stay in the worker and are numbered. */
export type Answer =
  | { readonly value: unknown }
  | { readonly reference: number }
  | { readonly code: string | undefined; readonly message: string };

type Methods = Readonly<Record<string, (...parameters: readonly unknown[]) => unknown>>;

/** The time of the test, since a clock cannot be sent to the worker. */
let nowMs = 1_000_000;
const never: TimeSource["after"] = () => ({ cancel: () => undefined });

const worker = {
  openDisk: (folder: string): Promise<OpfsDisk> =>
    OpfsDisk.open(folder, { time: { nowMs: () => nowMs, after: never, wait: never } }),
  removeDisk: (folder: string): Promise<boolean> => OpfsDisk.remove(folder),
  pass: (milliseconds: number): void => {
    nowMs += milliseconds;
  },

  /** Returns the contents of a folder according to the browser. */
  async found(folder: string): Promise<readonly string[]> {
    let handle: Folder = await navigator.storage.getDirectory();
    for (const name of folder.split("/")) handle = await handle.getDirectoryHandle(name);
    const names: string[] = [];
    for await (const name of handle.keys()) names.push(name);
    return names.sort();
  },

  /** Moves a file to where a worker that ended in the middle of a rename left it. */
  async leave(folder: string, name: string, as: string): Promise<void> {
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle(folder);
    const gone = await root.getDirectoryHandle(".gone", { create: true });
    await (await root.getFileHandle(name)).move(gone, as);
  },

  /** Creates a world, builds in it, saves it and leaves it open. */
  async buildWorld(folder: string, height: number): Promise<number> {
    const disk = await OpfsDisk.open(folder);
    const generator = generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 7n);
    const world = await createWorldEngine(disk, { name: "Isles", generator }, { durability: "journal" });
    for (let y = 0; y < height; y++) await world.set([0, y, 0, 0], 1 + (y % 13));
    return world.save();
  },

  /** Opens a world, returns the blocks of a column, and closes it again. */
  async readWorld(folder: string, height: number): Promise<readonly number[]> {
    const disk = await OpfsDisk.open(folder);
    const world = await openWorldEngine(disk);
    const column = await columnOf(world, height);
    await world.close();
    const findings = await verifySave(disk);
    if (!isWhole(findings)) throw new Error(JSON.stringify(findings));
    await disk.close();
    return column;
  },

  /** Sets one voxel after the other, and reports each durable one. */
  async editForEver(folder: string): Promise<never> {
    const disk = await OpfsDisk.open(folder);
    const isThere = await hasSave(disk);
    const options = { durability: "journal" } as const;
    const world = isThere ? await openWorldEngine(disk, options) : await createWorldEngine(disk, {}, options);
    for (let edit = await editsIn(world); ; edit++) {
      await world.set([edit, 0, 0, 0], 1);
      postMessage({ noted: edit + 1 });
    }
  },

  /** Returns how many of those edits a world has. */
  async lastEdit(folder: string): Promise<number> {
    const disk = await OpfsDisk.open(folder);
    const world = await openWorldEngine(disk);
    const count = await editsIn(world);
    await world.close();
    await disk.close();
    return count;
  },

  async exportWorld(folder: string): Promise<Uint8Array> {
    const [disk, copy] = [await OpfsDisk.open(folder), await OpfsDisk.open(`${folder} copy`)];
    await copyGeneration(disk, copy);
    const archive = await packTar(copy);
    await Promise.all([disk.close(), copy.close()]);
    await OpfsDisk.remove(`${folder} copy`);
    return new Uint8Array(await archive.arrayBuffer());
  },

  async importWorld(folder: string, archive: Uint8Array): Promise<void> {
    const disk = await OpfsDisk.open(folder);
    await copyGeneration(await unpackTar(new Blob([archive as Uint8Array<ArrayBuffer>])), disk);
    await disk.close();
  },
};

async function editsIn(world: WorldEngine): Promise<number> {
  let count = 0;
  while ((await world.get([count, 0, 0, 0])) !== 0) count++;
  return count;
}

async function columnOf(world: WorldEngine, height: number): Promise<readonly number[]> {
  const column: number[] = [];
  for (let y = 0; y < height; y++) column.push(await world.get([0, y, 0, 0]));
  return column;
}

const references: Methods[] = [worker as unknown as Methods];

async function answer({ target, method, parameters }: Request): Promise<Answer> {
  try {
    const thing = references[target];
    const value = await thing?.[method]?.apply(thing, [...parameters]);
    const isThing = typeof value === "object" && value !== null && ("close" in value || "release" in value);
    return isThing ? { reference: references.push(value as Methods) - 1 } : { value };
  } catch (error) {
    return { code: isOrthantError(error) ? error.code : undefined, message: String(error) };
  }
}

addEventListener("message", ({ data: { id, request } }) => {
  void answer(request).then((given) => postMessage({ id, given }));
});
