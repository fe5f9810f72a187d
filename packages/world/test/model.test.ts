import type { Position } from "@orthant/core";
import { boxBetween, positionFrom, positionsLexicographic, regionOf } from "@orthant/core/lattice";
import { type DiskImage, MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { verifySave } from "@orthant/save";
import { FakeTime, Prng } from "@orthant/testkit";
import { type EngineEdit, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { SlowDisk } from "./slow-disk.ts";
import { createSmallLeaves, storedEntities } from "./small-leaves.ts";

const OPERATIONS = 2_500;
const EVERYWHERE = boxBetween([-1e6, -1e6, -1e6, -1e6], [1e6, 1e6, 1e6, 1e6]);
/** Where things happen, in voxels: two positions in one leaf at first, one across a border, two far away. */
const CENTRES: readonly Position[] = [
  [0, 0, 0, 0],
  [256, 0, 0, 0],
  [-256, 256, 0, 0],
  [600_000, 0, 0, 0],
  [0, 0, -600_000, 0],
];

/** The expected contents of the world, in plain maps. */
class Model {
  readonly voxels: Map<string, number>;
  readonly entities: Map<bigint, { readonly position: string; readonly name: string }>;
  readonly players: Map<bigint, string>;
  readonly clocks: Map<string, number>;

  constructor(from?: Model) {
    this.voxels = new Map(from?.voxels);
    this.entities = new Map(from?.entities);
    this.players = new Map(from?.players);
    this.clocks = new Map(from?.clocks);
  }
}

/** Applies random operations to a world and to a model of it. */
class Campaign {
  readonly #prng: Prng;
  readonly #time = new FakeTime();
  readonly #issued = new Set<string>();
  readonly #background: Promise<unknown>[] = [];
  #disk: MemoryDisk;
  #world: WorldEngine;
  #model = new Model();
  #savePoint: { readonly image: DiskImage; readonly model: Model } | undefined;

  constructor(prng: Prng, disk: MemoryDisk, world: WorldEngine) {
    this.#prng = prng;
    this.#disk = disk;
    this.#world = world;
  }

  static async begin(seed: number): Promise<Campaign> {
    const disk = new MemoryDisk();
    await createSmallLeaves(disk);
    const world = await openWorldEngine(disk, { autosave: false });
    const campaign = new Campaign(new Prng(seed), disk, world);
    await campaign.closeAndCompare();
    return campaign;
  }

  async step(): Promise<void> {
    const dice = this.#prng.below(100);
    if (dice < 25) this.#later(this.#set());
    else if (dice < 35) this.#later(this.#fill());
    else if (dice < 45) this.#spawn();
    else if (dice < 65) await this.#move();
    else if (dice < 70) await this.#despawn();
    else if (dice < 75) this.#upsertPlayer();
    else if (dice < 83) this.#later(this.#world.get(this.#position()));
    else if (dice < 90) this.#later(this.#world.save());
    else if (dice < 94) this.#time.advance(this.#prng.below(8_000));
    else if (dice < 96) await this.#savePointNow();
    else if (dice < 97) await this.#crash();
    else if (dice < 98) await this.closeAndCompare();
    else if (dice < 99) await this.#snapshotWhileSaving();
    else await this.#settle();
  }

  /** Closes the world, opens the disk and compares everything. */
  async closeAndCompare(): Promise<void> {
    await this.#settle();
    await this.#world.close();
    this.#savePoint = undefined;
    await this.#reopen(this.#disk);
  }

  /** Simulates a power failure: everything is as it was last saved. */
  async #crash(): Promise<void> {
    await this.#settle();
    if (this.#savePoint === undefined) return;
    const { image, model } = this.#savePoint;
    this.#savePoint = undefined;
    const lost = this.#world;
    this.#model = model;
    await this.#reopen(new MemoryDisk(image));
    await lost.close();
  }

  async #savePointNow(): Promise<void> {
    await this.#settle();
    // An edit first, so that the epoch of this session is on the disk, as in every crash after an edit.
    await this.#set();
    await this.#world.save();
    this.#savePoint = { image: this.#disk.image(), model: new Model(this.#model) };
  }

  /** Checks that edits after a snapshot do not show in it, wherever in a save it was taken. */
  async #snapshotWhileSaving(): Promise<void> {
    await this.#settle();
    await this.#set();
    this.#later(this.#world.save());
    for (let turns = this.#prng.below(400); turns > 0; turns--) await undefined;
    const snapshot = this.#world.snapshot();
    const known = [...this.#model.voxels].filter(() => this.#prng.chance(0.02));
    for (const [position] of known)
      this.#later(this.#world.set(positionOf(position), 9).then((edit) => this.#count(edit)));
    for (const [position] of known) this.#model.voxels.set(position, 9);
    await this.#world.save();
    for (const [position, block] of known)
      expect(await snapshot.get(positionOf(position)), position).toBe(block);
    await snapshot.close();
  }

  async #reopen(disk: MemoryDisk): Promise<void> {
    this.#disk = disk;
    await this.#compare(new MemoryDisk(disk.image()));
    const slow = new SlowDisk(disk);
    const prng = new Prng(this.#prng.u32());
    slow.delay = async () => {
      for (let turns = prng.below(60); turns > 0; turns--) await undefined;
    };
    this.#world = await openWorldEngine(slow, { time: this.#time, loadedBytesMax: 7_000 });
  }

  async #compare(disk: MemoryDisk): Promise<void> {
    expect(isWhole(await verifySave(disk))).toBe(true);
    const expected = [...this.#model.entities].sort(([a], [b]) => (a < b ? -1 : 1));
    const ids = (await storedEntities(disk)).map(({ entity }) => entity.entityId);
    expect(ids.sort((a, b) => (a < b ? -1 : 1))).toEqual(expected.map(([id]) => id));
    const found = await openWorldEngine(disk, { readOnly: true });
    for (const [id, { position }] of expected) {
      if (!this.#prng.chance(0.05)) continue;
      const alone = await openWorldEngine(disk, { readOnly: true });
      const [x, y, z, w] = positionOf(position).map(Math.floor) as unknown as Position;
      const near = await alone.entities.in(boxBetween([x, y, z, w], [x + 1, y + 1, z + 1, w + 1]));
      expect(near.map(({ entityId }) => entityId)).toContain(id);
      await alone.close();
    }
    const entities = (await found.entities.in(EVERYWHERE)).map(
      ({ entityId, position, displayName }) =>
        [entityId, { position: `${position}`, name: displayName }] as const,
    );
    expect(entities).toEqual(expected);
    const wrong: string[] = [];
    for (const [position, block] of this.#model.voxels) {
      const stored = await found.get(positionOf(position));
      if (stored !== block) wrong.push(`${position} is ${stored}, not ${block}`);
    }
    expect(wrong).toEqual([]);
    expect(new Map(found.players.map(({ playerId, name }) => [playerId, name]))).toEqual(this.#model.players);
    await found.close();
  }

  async #set(): Promise<void> {
    const position = this.#position();
    const block = this.#prng.below(5);
    const edit = this.#world.set(position, block);
    this.#model.voxels.set(`${position}`, block);
    this.#count(await edit);
  }

  async #fill(): Promise<void> {
    const min = this.#position();
    const box = boxBetween(
      min,
      positionFrom((axis) => min[axis] + 1 + this.#prng.below(axis < 2 ? 9 : 2)),
    );
    const block = this.#prng.below(3);
    const edit = this.#world.fill(box, block);
    for (const position of positionsLexicographic(box)) this.#model.voxels.set(`${position}`, block);
    this.#count(await edit);
  }

  #count({ chunks, clocks }: EngineEdit): void {
    expect(new Set(chunks.map((chunk) => `${regionOf(chunk)}`)).size).toBe(clocks.length);
    for (const { region, before, after } of clocks) {
      expect(this.#issued.has(`${region}@${after}`)).toBe(false);
      expect(before).toBe(this.#model.clocks.get(`${region}`) ?? 0);
      this.#issued.add(`${region}@${after}`);
      this.#model.clocks.set(`${region}`, after);
    }
  }

  #spawn(): void {
    const position = this.#position();
    const displayName = `entity ${this.#prng.below(1_000)}`;
    const { entityId } = this.#world.entities.spawn({ kind: 1, position, displayName });
    expect(this.#model.entities.has(entityId)).toBe(false);
    this.#model.entities.set(entityId, { position: `${position}`, name: displayName });
  }

  async #move(): Promise<void> {
    const id = await this.#loadedEntity();
    const known = id === undefined ? undefined : this.#model.entities.get(id);
    if (id === undefined || known === undefined) return;
    const here = positionOf(known.position);
    const position = this.#prng.chance(0.3)
      ? this.#position()
      : positionFrom((axis) => here[axis] + this.#prng.between(-6, 6) / 2);
    this.#world.entities.change(id, { position });
    this.#model.entities.set(id, { ...known, position: `${position}` });
  }

  async #despawn(): Promise<void> {
    const id = await this.#loadedEntity();
    if (id === undefined || !this.#model.entities.has(id)) return;
    this.#world.entities.despawn(id);
    this.#model.entities.delete(id);
  }

  async #loadedEntity(): Promise<bigint | undefined> {
    if (this.#model.entities.size === 0) return undefined;
    const [id, { position }] = this.#prng.pick([...this.#model.entities]);
    if (this.#world.entities.get(id) !== undefined) return id;
    const [x, y, z, w] = positionOf(position).map(Math.floor) as unknown as Position;
    await this.#world.entities.in(boxBetween([x, y, z, w], [x + 1, y + 1, z + 1, w + 1]));
    expect(this.#world.entities.get(id), `entity ${id} at ${position}`).toBeDefined();
    return id;
  }

  #upsertPlayer(): void {
    const playerId = BigInt(this.#prng.below(20));
    const name = `player ${this.#prng.below(1_000)}`;
    this.#world.upsertPlayer({
      playerId,
      name,
      authKey: new Uint8Array(0),
      position: [0, 0, 0, 0],
      orientation: [0, 0, 0, 1],
      tags: [],
      inventory: new Uint8Array(0),
      metadata: [],
      lastSavedMs: 0,
    });
    this.#model.players.set(playerId, name);
  }

  #position(): Position {
    const centre = this.#prng.pick(CENTRES);
    return positionFrom((axis) => centre[axis] + this.#prng.between(-40, 40));
  }

  #later(task: Promise<unknown>): void {
    this.#background.push(task);
    // Errors are reported when everything is awaited.
    task.catch(() => undefined);
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#background.splice(0));
    const block = this.#model.voxels.size === 0 ? [] : [this.#prng.pick([...this.#model.voxels])];
    for (const [position, expected] of block) {
      expect(await this.#world.get(positionOf(position)), position).toBe(expected);
    }
  }
}

/** Ten times what it takes on a quiet machine. */
const TIMEOUT_MS = 120_000;

describe("a world under random concurrent operations", () => {
  test.each([1, 2])(
    "has the expected contents after every close and every crash, seed %i",
    async (seed) => {
      const campaign = await Campaign.begin(seed);
      for (let operation = 0; operation < OPERATIONS; operation++) await campaign.step();
      await campaign.closeAndCompare();
    },
    TIMEOUT_MS,
  );
});

function positionOf(text: string): Position {
  return text.split(",").map(Number) as unknown as Position;
}
