import { box, chunkBox, type Position } from "@orthant/core";
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
import { describe, expect, test } from "vitest";
import { blockOf, stripes1 } from "./stripes.ts";

const OPERATIONS = 1_200;
const SNAPSHOTS_MAX = 60;
/** Where edits are, in voxels. */
const EDGE = 40;
const SEED = 3n;
const LOADED = chunkBox([-8, -8, -8], [8, 8, 8]);

const OPTIONS: WorldOptions<3> = { generators: [stripes1], time: new FakeTime(), autosave: false };

/** A snapshot, and the voxels that it must always have. */
interface Held {
  readonly snapshot: WorldSnapshot<3>;
  readonly voxels: ReadonlyMap<string, number>;
}

/** Edits a world at random, in place and otherwise, beside a plain map of its voxels. */
class Editor {
  readonly #prng: Prng;
  readonly #disk = new MemoryDisk();
  readonly #options: WorldOptions<3>;
  #world!: World<3>;
  #voxels = new Map<string, number>();
  #stopListening: (() => void) | undefined;
  readonly #held: Held[] = [];
  snapshots = 0;

  constructor(seed: number, options: WorldOptions<3>) {
    this.#prng = new Prng(seed);
    this.#options = { ...OPTIONS, ...options };
  }

  async begin(): Promise<void> {
    const parts = { dimensions: 3, generator: stripes1({ seed: SEED }) } as const;
    this.#world = await createWorld(this.#disk, parts, this.#options);
    await this.#world.loadChunks(LOADED, { toEdit: true });
  }

  async step(): Promise<void> {
    const dice = this.#prng.below(1_000);
    if (dice < 450) this.#setNow();
    else if (dice < 600) await this.#set();
    else if (dice < 680) await this.#edit();
    else if (dice < 700) await this.#fill();
    else if (dice < 720) await this.#world.setData(this.#position(), { note: dice });
    else if (dice < 800) await this.#compareOne();
    else if (dice < 900) this.#hold();
    else if (dice < 960) await this.#release();
    else if (dice < 970) await this.#world.save();
    else if (dice < 975) this.#listen();
    else if (dice < 980) await this.#putBack();
    else if (dice < 985) await this.reopen();
    else await this.#several();
  }

  /** Closes the world, checks what was saved, and opens it again. */
  async reopen(): Promise<void> {
    for (let count = this.#held.length; count > 0; count--) await this.#release();
    await this.#world.close();
    this.#stopListening = undefined;
    expect(isWhole(await verifySave(this.#disk))).toBe(true);
    this.#world = await openWorld(this.#disk, this.#options);
    await this.#world.loadChunks(LOADED, { toEdit: true });
    for (const [key, block] of this.#voxels)
      expect(this.#world.voxelAt(JSON.parse(key)), `voxel ${key}`).toBe(block);
  }

  async end(): Promise<void> {
    await this.reopen();
    await this.#world.close();
  }

  #setNow(): void {
    const position = this.#position();
    const block = this.#prng.below(4);
    const had = this.#expected(position);
    expect(this.#world.setNow(position, block)).toBe(had !== block);
    this.#note(position, block);
  }

  async #set(): Promise<void> {
    const position = this.#position();
    const block = this.#prng.below(4);
    const had = this.#expected(position);
    const { status } = await this.#world.set(position, block);
    expect(status).toBe(had === block ? "unchanged" : "applied");
    this.#note(position, block);
  }

  async #edit(): Promise<void> {
    const placements = Array.from({ length: this.#prng.below(200) }, () => ({
      position: this.#position(),
      block: this.#prng.below(4),
    }));
    const edited = this.#world.edit(this.#prng.below(2) === 0 ? placements : arraysOf(placements));
    // An edit that waits must not undo what is set at once meanwhile, nor miss it.
    if (this.#prng.below(2) === 0) this.#setNow();
    await edited;
    for (const { position, block } of placements) this.#note(position, block);
  }

  async #fill(): Promise<void> {
    const min = this.#position();
    const size = 1 + this.#prng.below(6);
    const block = this.#prng.below(4);
    const [x, y, z] = min;
    await this.#world.fill(box(min, [x + size, y + size, z + size]), block);
    for (let i = 0; i < size ** 3; i++)
      this.#note([x + (i % size), y + (Math.floor(i / size) % size), z + Math.floor(i / size ** 2)], block);
  }

  /** Gives voxels back what the generator made. */
  async #putBack(): Promise<void> {
    for (const key of [...this.#voxels.keys()].slice(0, 400)) {
      const position = JSON.parse(key) as Position<3>;
      this.#world.setNow(position, blockOf(1, SEED, position));
      this.#voxels.delete(key);
    }
  }

  /** Edits that are queued together, with a snapshot between them. */
  async #several(): Promise<void> {
    const edits = [this.#set(), this.#set()];
    this.#hold();
    this.#setNow();
    await Promise.all(edits);
  }

  #listen(): void {
    const stop = this.#stopListening;
    stop?.();
    this.#stopListening = stop === undefined ? this.#world.onEdit(() => undefined) : undefined;
  }

  #hold(): void {
    if (this.#held.length >= SNAPSHOTS_MAX) return;
    this.#held.push({ snapshot: this.#world.snapshot(), voxels: new Map(this.#voxels) });
    this.snapshots++;
  }

  async #release(): Promise<void> {
    const [held] = this.#held.splice(this.#prng.below(Math.max(1, this.#held.length)), 1);
    if (held === undefined) return;
    const { snapshot, voxels } = held;
    for (const position of [...voxels.keys()].slice(-40).map((key) => JSON.parse(key) as Position<3>))
      expect(await snapshot.get(position), `voxel ${position}`).toBe(voxels.get(JSON.stringify(position)));
    for (let count = 0; count < 20; count++) {
      const position = this.#position();
      const block = voxels.get(JSON.stringify(position)) ?? blockOf(1, SEED, position);
      expect(await snapshot.get(position), `voxel ${position}`).toBe(block);
    }
    await snapshot.close();
  }

  async #compareOne(): Promise<void> {
    const position = this.#position();
    expect(this.#world.voxelAt(position)).toBe(this.#expected(position));
    if (this.#prng.below(2) === 0) expect(await this.#world.get(position)).toBe(this.#expected(position));
  }

  #expected(position: Position<3>): number {
    return this.#voxels.get(JSON.stringify(position)) ?? blockOf(1, SEED, position);
  }

  #note(position: Position<3>, block: number): void {
    const key = JSON.stringify(position);
    this.#voxels.delete(key);
    this.#voxels.set(key, block);
  }

  #position(): Position<3> {
    const coordinate = (): number => this.#prng.below(EDGE) - EDGE / 2;
    return [coordinate(), coordinate() + 40, coordinate()];
  }
}

function arraysOf(placements: readonly { position: Position<3>; block: number }[]): BlockArrays {
  return {
    positions: Int32Array.from(placements.flatMap(({ position }) => [...position])),
    blocks: Uint16Array.from(placements, ({ block }) => block),
  };
}

describe("edits in place", () => {
  test.each([
    { durability: "snapshot", seed: 1 },
    { durability: "snapshot", seed: 2 },
    { durability: "journal", seed: 3 },
  ] as const)(
    "show in no earlier snapshot, in a world with $durability, seed $seed",
    async ({ durability, seed }) => {
      const editor = new Editor(seed, { durability });
      await editor.begin();
      for (let count = 0; count < OPERATIONS; count++) await editor.step();
      await editor.end();
      expect(editor.snapshots).toBeGreaterThan(60);
    },
    60_000,
  );
});
