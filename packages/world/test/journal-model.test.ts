import type { Position } from "@orthant/core";
import { boxBetween, positionFrom, positionsLexicographic, regionBox } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { verifySave } from "@orthant/save";
import { FakeTime, Prng } from "@orthant/testkit";
import { type EngineEdit, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { createSmallLeaves, storedEntities } from "./small-leaves.ts";

const OPERATIONS = 700;
const EVERYWHERE = boxBetween([-1e6, -1e6, -1e6, -1e6], [1e6, 1e6, 1e6, 1e6]);
/** Where things happen, in voxels: two positions in one leaf at first, one across a border, one far away. */
const CENTRES: readonly Position[] = [
  [0, 0, 0, 0],
  [256, 0, 0, 0],
  [-256, 256, 0, 0],
  [600_000, 0, 0, 0],
];

/** Applies random operations to a world with a journal and to plain maps, and crashes it at any time. */
class Chronicle {
  readonly #prng: Prng;
  readonly #time = new FakeTime();
  readonly #voxels = new Map<string, number>();
  readonly #entities = new Map<bigint, string>();
  readonly #players = new Map<bigint, string>();
  readonly #clocks = new Map<string, number>();
  readonly #running: Promise<unknown>[] = [];
  /** The subset of `#running` that are edits, not saves. */
  readonly #edits = new Set<Promise<unknown>>();
  #editId = 0;
  #name = "";
  #disk: MemoryDisk;
  #world: WorldEngine;
  crashes = 0;

  constructor(prng: Prng, disk: MemoryDisk, world: WorldEngine) {
    this.#prng = prng;
    this.#disk = disk;
    this.#world = world;
  }

  static async begin(seed: number): Promise<Chronicle> {
    const disk = new MemoryDisk();
    await createSmallLeaves(disk);
    const world = await openWorldEngine(disk, { autosave: false, durability: "journal" });
    return new Chronicle(new Prng(seed), disk, world);
  }

  async step(): Promise<void> {
    const dice = this.#prng.below(100);
    if (dice < 30) this.#set();
    else if (dice < 38) this.#fill();
    else if (dice < 48) this.#spawn();
    else if (dice < 66) await this.#move();
    else if (dice < 71) await this.#despawn();
    else if (dice < 76) this.#upsertPlayer();
    else if (dice < 78) this.#rename();
    else if (dice < 88) this.#running.push(this.#world.save());
    else if (dice < 92) this.#time.advance(this.#prng.below(8_000));
    else if (dice < 96) await this.#turns();
    else await this.crash();
  }

  /** Kills the process once everything is acknowledged, wherever a save is; then compares everything. */
  async crash(): Promise<void> {
    const waiting = this.#running.splice(0);
    // Wait for edits through their promises and for the rest with whenDurable; running saves are cut off.
    await Promise.all(waiting.filter((task) => this.#edits.has(task)));
    await this.#world.whenDurable();
    const lost = this.#world;
    const image = this.#disk.image();
    await Promise.all(waiting);
    await lost.close();
    this.#disk = new MemoryDisk(image);
    this.#world = await openWorldEngine(this.#disk, {
      time: this.#time,
      autosave: false,
      durability: this.#prng.chance(0.7) ? "journal" : "snapshot",
    });
    await this.#compare();
    if (this.#prng.chance(0.5)) {
      await this.#world.close();
      this.#world = await openWorldEngine(this.#disk, { time: this.#time, autosave: false });
      await this.#compare();
    }
    await this.#world.close();
    expect(isWhole(await verifySave(this.#disk))).toBe(true);
    const stored = (await storedEntities(this.#disk)).map(({ entity }) => entity.entityId);
    expect(stored.sort()).toEqual([...this.#entities.keys()].sort());
    this.#world = await openWorldEngine(this.#disk, {
      time: this.#time,
      autosave: false,
      durability: "journal",
    });
    this.crashes++;
  }

  async #compare(): Promise<void> {
    const world = this.#world;
    for (const [region, clock] of this.#clocks) {
      await world.load(regionBox(positionOf(region)));
      expect(world.clockOf(positionOf(region)), region).toBe(clock);
    }
    for (const [position, block] of this.#voxels) {
      if (this.#prng.chance(0.2)) expect(await world.get(positionOf(position)), position).toBe(block);
    }
    const found = await world.entities.in(EVERYWHERE);
    expect(new Map(found.map(({ entityId, position }) => [entityId, `${position}`]))).toEqual(this.#entities);
    expect(new Map(world.players.map(({ playerId, name }) => [playerId, name]))).toEqual(this.#players);
    expect(world.name).toBe(this.#name);
    expect(world.lastEditOf(7n)).toBe(this.#editId);
  }

  #set(): void {
    const placements = Array.from({ length: 1 + this.#prng.below(6) }, () => ({
      voxel: this.#position(),
      block: this.#prng.below(4),
    }));
    this.#later(this.#world.edit(placements, { origin: { clientId: 7n, editId: ++this.#editId } }));
    for (const { voxel, block } of placements) this.#voxels.set(`${voxel}`, block);
  }

  #fill(): void {
    const min = this.#position();
    const box = boxBetween(
      min,
      positionFrom((axis) => min[axis] + 1 + this.#prng.below(axis < 2 ? 9 : 2)),
    );
    const block = this.#prng.below(3);
    this.#later(this.#world.fill(box, block));
    for (const position of positionsLexicographic(box)) this.#voxels.set(`${position}`, block);
  }

  #later(edit: Promise<EngineEdit>): void {
    const counted = edit.then(({ clocks }) => {
      for (const { region, after } of clocks) {
        this.#clocks.set(`${region}`, Math.max(after, this.#clocks.get(`${region}`) ?? 0));
      }
    });
    this.#edits.add(counted);
    this.#running.push(counted);
  }

  #spawn(): void {
    const position = this.#position();
    const { entityId } = this.#world.entities.spawn({ kind: 1, position });
    expect(this.#entities.has(entityId)).toBe(false);
    this.#entities.set(entityId, `${position}`);
  }

  async #move(): Promise<void> {
    const id = await this.#loadedEntity();
    if (id === undefined) return;
    const here = positionOf(this.#entities.get(id) ?? "");
    const position = this.#prng.chance(0.3)
      ? this.#position()
      : positionFrom((axis) => here[axis] + this.#prng.between(-6, 6) / 2);
    this.#world.entities.change(id, { position });
    this.#entities.set(id, `${position}`);
  }

  async #despawn(): Promise<void> {
    const id = await this.#loadedEntity();
    if (id === undefined) return;
    this.#world.entities.despawn(id);
    this.#entities.delete(id);
  }

  async #loadedEntity(): Promise<bigint | undefined> {
    if (this.#entities.size === 0) return undefined;
    const [id, position] = this.#prng.pick([...this.#entities]);
    if (this.#world.entities.get(id) !== undefined) return id;
    const corner = positionOf(position);
    await this.#world.entities.in(
      boxBetween(
        positionFrom((axis) => Math.floor(corner[axis])),
        positionFrom((axis) => Math.floor(corner[axis]) + 1),
      ),
    );
    return id;
  }

  #upsertPlayer(): void {
    const playerId = BigInt(this.#prng.below(20));
    const name = `player ${this.#prng.below(1_000)}`;
    this.#world.upsertPlayer({ playerId, name });
    this.#players.set(playerId, name);
  }

  #rename(): void {
    this.#name = `world ${this.#prng.below(1_000)}`;
    this.#world.describe({ name: this.#name });
  }

  async #turns(): Promise<void> {
    for (let turns = this.#prng.below(300); turns > 0; turns--) await undefined;
  }

  #position(): Position {
    const centre = this.#prng.pick(CENTRES);
    return positionFrom((axis) => centre[axis] + this.#prng.between(-40, 40));
  }
}

/** Ten times what it takes on a quiet machine. */
const TIMEOUT_MS = 120_000;

describe("a world with a journal under random concurrent operations", () => {
  test.each([1, 2])(
    "[J14] [J15] has everything that was acknowledged after every crash, seed %i",
    async (seed) => {
      const chronicle = await Chronicle.begin(seed);
      for (let operation = 0; operation < OPERATIONS; operation++) await chronicle.step();
      await chronicle.crash();
      expect(chronicle.crashes).toBeGreaterThan(10);
    },
    TIMEOUT_MS,
  );
});

function positionOf(text: string): Position {
  return text.split(",").map(Number) as unknown as Position;
}
