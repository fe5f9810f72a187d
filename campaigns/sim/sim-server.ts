import { CLOCK_NEVER, sleep, type VoxelPlacement } from "@orthant/core";
import { type DiskImage, MemoryDisk } from "@orthant/disk";
import { Host, type HostWorld, type Player } from "@orthant/protocol";
import { hostWorldOf } from "@orthant/server";
import type { FakeClock, LinkEnd, Prng } from "@orthant/testkit";
import { createWorld, openWorld, type World } from "@orthant/world";
import type { EditHistory } from "./edit-history.ts";
import { MortalDisk } from "./mortal-disk.ts";
import type { RegionStates } from "./region-states.ts";
import { accountOf } from "./sim-account.ts";
import { SERVER_GENERATORS, type SimPlan } from "./sim-plan.ts";

/** What a server of a simulation is given. */
export interface SimServerOptions {
  readonly plan: SimPlan;
  readonly clock: FakeClock;
  readonly prng: Prng;
  readonly history: EditHistory;
  readonly states: RegionStates;
  /** Called for whatever must not happen. */
  readonly fail: (error: unknown) => void;
  /** Called when a server was opened again, before anybody can come. */
  readonly onRecovered: () => void;
}

/** One opening of the world, until its end or a crash. */
interface Life {
  readonly memory: MemoryDisk;
  readonly disk: MortalDisk;
  readonly ends: Set<LinkEnd>;
  isAlive: boolean;
  isStopping: boolean;
  world: World | undefined;
  port: HostWorld | undefined;
  host: Host | undefined;
}

export const HOST_TICK_MS = 50;
/** Edits with this material are vetoed. */
export const FORBIDDEN_MATERIAL = 9;
const VETO_MS_MAX = 120;
/** So little that regions nobody watches are let go all the time. */
const LOADED_CHUNKS_MAX = 24;
/** A client id that no client has: edits that the server makes by itself. */
const OPERATOR_ID = 1n;

/** A world behind a host, which can be stopped, and crash, at any moment, and comes up again. */
export class SimServer {
  readonly #options: SimServerOptions;
  #life: Life | undefined;
  #operatorEditId = 0;
  #restartMs: number | undefined;
  #image: DiskImage = { directories: [], files: new Map() };
  #backup: { readonly image: DiskImage; readonly epoch: number } | undefined;

  constructor(options: SimServerOptions) {
    this.#options = options;
  }

  /** The world, while there is a host for it. */
  get world(): World | undefined {
    return this.#life?.host === undefined ? undefined : this.#life.world;
  }

  /** The host, while it takes clients. */
  get host(): Host | undefined {
    const life = this.#life;
    return life?.isStopping === true ? undefined : life?.host;
  }

  /** Makes the world and opens it for the first time. */
  async create(): Promise<void> {
    const { plan, clock } = this.#options;
    const life = this.#begin();
    const { shape, generator } = plan;
    life.world = await createWorld(life.disk, { name: "sim", shape, generator }, this.#worldOptions(clock));
    await this.#openHost(life, life.world);
  }

  /** Takes a client in; tells whether there is anybody to take it. */
  connect(end: LinkEnd): boolean {
    const life = this.#life;
    if (life?.host === undefined || life.isStopping) return false;
    const session = life.host.connect(end);
    life.ends.add(end);
    end.listen({
      receive: (frame) => {
        if (life.isAlive) session.receive(frame);
      },
      disconnected: () => {
        life.ends.delete(end);
        if (life.isAlive) session.disconnected();
      },
    });
    return true;
  }

  /** Does what is due: a tick of the host, or the next opening. */
  tick(): void {
    const { clock, fail } = this.#options;
    this.#life?.host?.tick();
    if (this.#restartMs === undefined || clock.nowMs() < this.#restartMs) return;
    this.#restartMs = undefined;
    this.#open().catch(fail);
  }

  /** Ends the process, wherever it is. */
  crash(): void {
    const life = this.#life;
    if (life === undefined) return;
    life.isAlive = false;
    life.disk.kill();
    this.#image = life.memory.image();
    // The links of a process that is gone close; what it has sent may still arrive.
    for (const end of life.ends) end.close();
    this.#end();
  }

  /** Copies the disk as it is, in the middle of whatever is done. */
  backUp(): void {
    const life = this.#life;
    if (life?.port !== undefined) this.#backup = { image: life.memory.image(), epoch: life.port.era.epoch };
  }

  /** Ends the process and puts the copy in the place of the disk, if there is one; tells whether there was. */
  rollBack(): boolean {
    const { history, states } = this.#options;
    if (this.#life === undefined || this.#backup === undefined) return false;
    this.crash();
    this.#image = this.#backup.image;
    states.forgetAfter(this.#backup.epoch);
    history.rollBack();
    return true;
  }

  /** Shuts down in good order. */
  stop(): void {
    const life = this.#life;
    if (life?.host === undefined || life.isStopping) return;
    life.isStopping = true;
    this.#shutDown(life, life.host).catch(this.#options.fail);
  }

  /** Opens it again soon, if it is down. */
  ensureUp(): void {
    if (this.#life === undefined) this.#restartMs = this.#options.clock.nowMs();
  }

  /** Asks the world to save; what it has made until now is durable when it has. */
  save(): void {
    const { history, fail } = this.#options;
    const life = this.#life;
    if (life?.world === undefined || life.host === undefined || life.isStopping) return;
    const count = history.length;
    life.world.save().then(() => {
      if (life.isAlive) history.markDurable(count);
    }, fail);
  }

  /** Makes an edit that no client asked for; tells whether anybody could. */
  edit(placements: readonly VoxelPlacement[]): boolean {
    const life = this.#life;
    if (life?.port === undefined || life.host === undefined || life.isStopping) return false;
    const origin = { clientId: OPERATOR_ID, editId: ++this.#operatorEditId };
    life.port.edit(placements, origin).catch(this.#options.fail);
    return true;
  }

  #begin(): Life {
    const { clock, prng } = this.#options;
    const memory = new MemoryDisk(this.#image);
    const life: Life = {
      memory,
      disk: new MortalDisk(memory, clock, prng),
      ends: new Set(),
      isAlive: true,
      isStopping: false,
      world: undefined,
      port: undefined,
      host: undefined,
    };
    this.#life = life;
    return life;
  }

  #end(): void {
    const { clock, prng } = this.#options;
    this.#life = undefined;
    this.#restartMs = clock.nowMs() + prng.between(20, 500);
  }

  async #open(): Promise<void> {
    const { plan, clock, onRecovered } = this.#options;
    const life = this.#begin();
    await this.#recover();
    onRecovered();
    life.disk.pace = plan.diskPace;
    life.world = await openWorld(life.disk, this.#worldOptions(clock));
    await this.#openHost(life, life.world);
  }

  /** Looks at the disk through a world of its own, so that the one that is opened has read nothing yet. */
  async #recover(): Promise<void> {
    const { plan, history, clock } = this.#options;
    const world = await openWorld(new MemoryDisk(this.#image), {
      clock,
      generators: SERVER_GENERATORS,
      readOnly: true,
    });
    await world.load(plan.arena);
    history.recover({
      clockOf: (region) => world.clockOf(region) ?? CLOCK_NEVER,
      lastEditOf: (clientId) => world.lastEditOf(clientId),
      overrides: world.field.overrides,
    });
    await world.close();
  }

  async #openHost(life: Life, world: World): Promise<void> {
    const { plan, clock, states, fail } = this.#options;
    world.onFailure(fail);
    world.onEdit(({ clocks }) => {
      try {
        if (life.isAlive)
          for (const { region, after } of clocks) states.add(region, after, world.field.overrides);
      } catch (error) {
        fail(error);
      }
    });
    life.port = this.#watched(life, await hostWorldOf(world));
    if (!life.isAlive) return;
    life.disk.pace = plan.diskPace;
    life.host = new Host({
      world: life.port,
      clock,
      authorize: async ({ token }) => {
        await this.#pause(VETO_MS_MAX);
        return accountOf(token);
      },
      acknowledge: plan.acknowledge,
      tickMs: HOST_TICK_MS,
      limits: plan.limits,
      rules: { onEdit: (_player: Player, placements) => this.#veto(placements) },
    });
  }

  async #shutDown(life: Life, host: Host): Promise<void> {
    await host.shutdown("the server starts anew", 500);
    await life.world?.close();
    if (!life.isAlive) return;
    life.isAlive = false;
    this.#options.history.markDurable(this.#options.history.length);
    this.#image = life.memory.image();
    for (const end of life.ends) end.close();
    this.#end();
  }

  /** The world as the host sees it, with a look at what the host asks of it. */
  #watched(life: Life, port: HostWorld): HostWorld {
    const { history, fail } = this.#options;
    const edit: HostWorld["edit"] = async (placements, origin) => {
      if (placements.some(({ material }) => material === FORBIDDEN_MATERIAL))
        fail(new Error("an edit was made that was vetoed"));
      const result = await port.edit(placements, origin);
      try {
        if (life.isAlive && result.outcome !== "repeated")
          history.add({ origin, placements, clocks: result.clocks });
      } catch (error) {
        fail(error);
      }
      return result;
    };
    const whenDurable: HostWorld["whenDurable"] = async () => {
      const count = history.length;
      await port.whenDurable();
      if (life.isAlive) history.markDurable(count);
    };
    return new Proxy(port, {
      get(target, key) {
        if (key === "edit") return edit;
        if (key === "whenDurable") return whenDurable;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  async #veto(placements: readonly VoxelPlacement[]): Promise<string | undefined> {
    await this.#pause(VETO_MS_MAX);
    return placements.some(({ material }) => material === FORBIDDEN_MATERIAL) ? "forbidden here" : undefined;
  }

  /** Sometimes takes a while. */
  async #pause(msMax: number): Promise<void> {
    const { clock, prng } = this.#options;
    if (!prng.chance(0.1)) return;
    const pauseMs = prng.between(1, msMax);
    await sleep(clock, pauseMs);
  }

  #worldOptions(clock: FakeClock) {
    const { prng } = this.#options;
    const random = () => (BigInt(prng.u32()) << 32n) | BigInt(prng.u32());
    return { clock, generators: SERVER_GENERATORS, random, loadedChunksMax: LOADED_CHUNKS_MAX };
  }
}
