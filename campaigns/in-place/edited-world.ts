import { box, chunkBox, defineGenerator, isOrthantError, type Position } from "@orthant/core";
import { chunkOfVoxel, regionOf } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { verifySave } from "@orthant/save";
import { FakeTime, Prng } from "@orthant/testkit";
import {
  type BlockArrays,
  createWorld,
  openWorld,
  type World,
  type WorldOptions,
  type WorldSnapshot,
} from "@orthant/world";

const SNAPSHOTS_MAX = 60;
/** Where edits are, in voxels. */
const EDGE = 40;
const LOWEST = [-20, 20, -20] as const;
const LOADED = chunkBox([-2, 1, -2], [2, 4, 2]);
/** Not enough for all regions of the edits. */
const LITTLE_MEMORY_BYTES = 20_000;

/** Worlds to edit: with a journal and without, with all in memory and with little memory. */
const EDITED_WORLDS: readonly WorldOptions<3>[] = [
  { durability: "snapshot" },
  { durability: "snapshot", loadedBytesMax: LITTLE_MEMORY_BYTES },
  { durability: "journal" },
];

const stripes = defineGenerator({
  id: "orthant-campaign:stripes",
  version: 1,
  dimensions: 3,
  open: () => (x, y, z) => generatedAt([x, y, z]),
});

function generatedAt([x, y, z]: Position<3>): number {
  return y >= EDGE ? 0 : 8 + ((x + 3 * y + 5 * z) & 7);
}

/** A snapshot, and the voxels that it must always have. */
interface Held {
  readonly snapshot: WorldSnapshot<3>;
  readonly voxels: ReadonlyMap<string, number>;
  /** Voxels of edits that were queued when it was taken. */
  readonly queued: readonly string[];
}

interface Placement {
  readonly position: Position<3>;
  readonly block: number;
}

/** Edits worlds at random, in place and otherwise. Returns the first difference from plain maps of voxels. */
export async function faultOfEdits(seed: number, operations: number): Promise<string | undefined> {
  for (const options of EDITED_WORLDS) {
    const world = new EditedWorld(seed, options);
    let operation = 0;
    try {
      await world.begin();
      for (; operation < operations; operation++) await world.step();
      await world.end();
    } catch (error) {
      return `${JSON.stringify(options)}, seed ${seed}, operation ${operation}: ${String(error)}`;
    }
  }
  return undefined;
}

/** A world beside plain maps of its voxels and their data. Throws when they differ. */
class EditedWorld {
  readonly #prng: Prng;
  readonly #options: WorldOptions<3>;
  #disk = new MemoryDisk();
  #world!: World<3>;
  readonly #voxels = new Map<string, number>();
  readonly #notes = new Map<string, number>();
  /** The clocks of regions when they were last looked at. */
  readonly #clocks = new Map<string, number>();
  /** A voxel in each region that has changed since. */
  readonly #changed = new Map<string, Position<3>>();
  #stopListening: (() => void) | undefined;
  readonly #held: Held[] = [];

  constructor(seed: number, options: WorldOptions<3>) {
    this.#prng = new Prng(seed);
    this.#options = { generators: [stripes], time: new FakeTime(), autosave: false, ...options };
  }

  async begin(): Promise<void> {
    const parts = { dimensions: 3, generator: stripes({ seed: 0n }) } as const;
    this.#world = await createWorld(this.#disk, parts, this.#options);
    await this.#world.loadChunks(LOADED, { toEdit: true });
  }

  async step(): Promise<void> {
    const dice = this.#prng.below(1_000);
    if (dice < 430) await this.#setNow(this.#position(), this.#block());
    else if (dice < 560) await this.#set();
    else if (dice < 640) await this.#edit();
    else if (dice < 670) await this.#fill();
    else if (dice < 690) await this.#setData();
    else if (dice < 770) await this.#compareOne();
    else if (dice < 820) await this.#compareClocks();
    else if (dice < 890) this.#hold();
    else if (dice < 950) await this.#release();
    else if (dice < 965) await this.#world.save();
    else if (dice < 970) this.#listen();
    else if (dice < 975) await this.#putBack();
    else if (dice < 980) await this.#reopen();
    else await this.#several();
  }

  async end(): Promise<void> {
    await this.#reopen();
    await this.#world.close();
  }

  /** Closes or kills the world, checks what is on the disk, and opens it again. */
  async #reopen(): Promise<void> {
    for (let count = this.#held.length; count > 0; count--) await this.#release();
    const isKilled = this.#options.durability === "journal" && this.#prng.chance(0.7);
    if (isKilled) await this.#world.whenDurable();
    const image = this.#disk.image();
    await this.#world.close();
    if (isKilled) this.#disk = new MemoryDisk(image);
    else require(isWhole(await verifySave(this.#disk)), "the save is damaged");
    this.#stopListening = undefined;
    this.#world = await openWorld(this.#disk, this.#options);
    for (const [key, block] of this.#voxels) await this.#compare(keyed(key), block);
    for (const key of this.#notes.keys()) await this.#compareData(key);
    await this.#world.loadChunks(LOADED, { toEdit: true });
  }

  async #setNow(position: Position<3>, block: number): Promise<void> {
    if (this.#trySetNow(position, block)) return;
    const chunk = chunkOfVoxel(this.#world.chunkShape, [...position, 0]).slice(
      0,
      3,
    ) as unknown as Position<3>;
    const chunks = chunkBox(chunk, [chunk[0] + 1, chunk[1] + 1, chunk[2] + 1]);
    const release = this.#world.keepChunks(chunks);
    await this.#world.loadChunks(chunks, { toEdit: true });
    require(this.#trySetNow(position, block), `voxel ${position} was loaded and cannot be set`);
    release();
  }

  /** Sets a voxel at once. Returns whether it was in memory. */
  #trySetNow(position: Position<3>, block: number): boolean {
    const had = this.#expected(position);
    try {
      const isChanged = this.#world.setNow(position, block);
      require(isChanged === (had !== block), `setNow of voxel ${position}, which had ${had}, to ${block}`);
    } catch (error) {
      if (isOrthantError(error, "ORT_NOT_LOADED")) return false;
      throw error;
    }
    this.#note(position, block);
    return true;
  }

  async #set(): Promise<void> {
    const [position, block] = [this.#position(), this.#block()];
    const had = this.#expected(position);
    const { status } = await this.#world.set(position, block);
    require((status === "applied") === (had !== block), `set of voxel ${position} was ${status}`);
    this.#note(position, block);
  }

  async #edit(): Promise<void> {
    const length = this.#prng.below(this.#prng.chance(0.5) ? 4 : 200);
    const placements = Array.from({ length }, () => ({ position: this.#position(), block: this.#block() }));
    const edited = this.#world.edit(this.#prng.chance(0.5) ? placements : arraysOf(placements));
    // An edit that waits must not undo what is set at once meanwhile, nor miss it.
    const other = this.#position();
    const isApart = placements.every(({ position }) => String(position) !== String(other));
    if (isApart && this.#prng.chance(0.5)) this.#trySetNow(other, this.#block());
    await edited;
    for (const { position, block } of placements) this.#note(position, block);
  }

  async #fill(): Promise<void> {
    const min = this.#position();
    const size = 1 + this.#prng.below(6);
    const block = this.#block();
    const [x, y, z] = min;
    await this.#world.fill(box(min, [x + size, y + size, z + size]), block);
    for (let i = 0; i < size ** 3; i++)
      this.#note([x + (i % size), y + (Math.floor(i / size) % size), z + Math.floor(i / size ** 2)], block);
  }

  async #setData(): Promise<void> {
    const position = this.#position();
    const note = this.#prng.below(1_000);
    await this.#world.setData(position, note);
    this.#notes.set(String(position), note);
    // Near it, so that edits meet chunks with data.
    await this.#setNow(position, this.#block());
    await this.#compareData(String(position));
  }

  /** Gives voxels back what the generator made. */
  async #putBack(): Promise<void> {
    for (const key of [...this.#voxels.keys()].slice(0, 400)) {
      await this.#setNow(keyed(key), generatedAt(keyed(key)));
      this.#voxels.delete(key);
    }
  }

  /** Edits that are queued together, with a snapshot between them. */
  async #several(): Promise<void> {
    const placements: Placement[] = [1, 2].map(() => ({ position: this.#position(), block: this.#block() }));
    const keys = placements.map(({ position }) => String(position));
    const other = this.#position();
    if (new Set([...keys, String(other)]).size < 3) return;
    const edits = placements.map(({ position, block }) => this.#world.set(position, block));
    this.#hold(keys);
    this.#trySetNow(other, this.#block());
    await Promise.all(edits);
    for (const { position, block } of placements) this.#note(position, block);
  }

  #listen(): void {
    const stop = this.#stopListening;
    stop?.();
    this.#stopListening = stop === undefined ? this.#world.onEdit(() => undefined) : undefined;
  }

  #hold(queued: readonly string[] = []): void {
    if (this.#held.length >= SNAPSHOTS_MAX) return;
    this.#held.push({ snapshot: this.#world.snapshot(), voxels: new Map(this.#voxels), queued });
  }

  async #release(): Promise<void> {
    const [held] = this.#held.splice(this.#prng.below(Math.max(1, this.#held.length)), 1);
    if (held === undefined) return;
    const { snapshot, voxels, queued } = held;
    const latest = [...voxels.keys()].slice(-40);
    const others = Array.from({ length: 20 }, () => String(this.#position()));
    for (const key of [...latest, ...others]) {
      if (queued.includes(key)) continue;
      const wanted = voxels.get(key) ?? generatedAt(keyed(key));
      const found = await snapshot.get(keyed(key));
      require(found === wanted, `voxel ${key} of a snapshot is ${found}, not ${wanted}`);
    }
    await snapshot.close();
  }

  async #compareOne(): Promise<void> {
    const latest = [...this.#voxels.keys()].slice(-50);
    const position =
      this.#prng.chance(0.5) && latest.length > 0 ? keyed(this.#prng.pick(latest)) : this.#position();
    const found = this.#world.voxelAt(position);
    const wanted = this.#expected(position);
    require(found === undefined || found === wanted, `voxelAt of ${position} is ${found}, not ${wanted}`);
    if (this.#prng.chance(0.5)) await this.#compare(position, wanted);
    if (this.#notes.size > 0) await this.#compareData(this.#prng.pick([...this.#notes.keys()]));
  }

  async #compare(position: Position<3>, wanted: number): Promise<void> {
    const found = await this.#world.get(position);
    require(found === wanted, `voxel ${position} is ${found}, not ${wanted}`);
  }

  async #compareData(key: string): Promise<void> {
    const found = await this.#world.data(keyed(key));
    const wanted = this.#notes.get(key);
    require(found === wanted, `the data of voxel ${key} is ${String(found)}, not ${wanted}`);
  }

  /** Looks at clocks before and after an edit at once of a chunk that may be in place. */
  async #compareClocks(): Promise<void> {
    const [voxel = this.#position()] = this.#changed.values();
    this.#requireNewClocks();
    await this.#setNow(voxel, this.#block());
    this.#requireNewClocks();
  }

  /** Looks at the clocks of all changed regions: each must be later than at the last look. */
  #requireNewClocks(): void {
    for (const [key, voxel] of this.#changed) {
      const clock = this.#world.engine.clockOf(this.#regionOf(voxel));
      if (clock === undefined) continue;
      const before = this.#clocks.get(key) ?? 0;
      require(clock > before, `region ${key} with voxel ${voxel} changed, and its clock ${before} did not`);
      this.#clocks.set(key, clock);
      this.#changed.delete(key);
    }
  }

  #expected(position: Position<3>): number {
    return this.#voxels.get(String(position)) ?? generatedAt(position);
  }

  #note(position: Position<3>, block: number): void {
    const key = String(position);
    if (this.#expected(position) !== block) {
      this.#notes.delete(key);
      this.#changed.set(String(this.#regionOf(position)), position);
    }
    this.#voxels.delete(key);
    this.#voxels.set(key, block);
  }

  #regionOf(position: Position<3>): Position {
    return regionOf(chunkOfVoxel(this.#world.chunkShape, [...position, 0]));
  }

  #position(): Position<3> {
    const coordinate = (lowest: number): number => lowest + this.#prng.below(EDGE);
    return [coordinate(LOWEST[0]), coordinate(LOWEST[1]), coordinate(LOWEST[2])];
  }

  #block(): number {
    return this.#prng.below(4);
  }
}

function arraysOf(placements: readonly Placement[]): BlockArrays {
  return {
    positions: Int32Array.from(placements.flatMap(({ position }) => [...position])),
    blocks: Uint16Array.from(placements, ({ block }) => block),
  };
}

function keyed(key: string): Position<3> {
  return key.split(",").map(Number) as unknown as Position<3>;
}

function require(isRight: boolean, fault: string): asserts isRight {
  if (!isRight) throw new Error(fault);
}
