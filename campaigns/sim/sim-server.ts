import { sleep } from "@orthant/core/time";
import { CLOCK_NEVER, type VoxelPlacement } from "@orthant/core/tree";
import { type DiskImage, MemoryDisk } from "@orthant/disk";
import { placementsOf, type RequestedEdit } from "@orthant/protocol";
import { SyncServer, type SyncWorld } from "@orthant/protocol/server";
import { syncWorldOf } from "@orthant/server";
import type { FakeTime, LinkEnd, Prng } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { CrashableDisk } from "./crashable-disk.ts";
import type { EditHistory } from "./edit-history.ts";
import type { RegionStates } from "./region-states.ts";
import { accountOf, SERVER_GENERATORS, type SimPlan } from "./sim-plan.ts";
import { StoreHistory } from "./store-history.ts";

/** Options of a simulated server. */
export interface SimServerOptions {
  readonly plan: SimPlan;
  readonly time: FakeTime;
  readonly prng: Prng;
  readonly history: EditHistory;
  readonly states: RegionStates;
  /** Called for every failure. */
  readonly fail: (error: unknown) => void;
  /** Called after a reopened world was checked, before clients can connect. */
  readonly onRecovered: () => void;
}

/** One run of the server, until it stops or crashes. */
interface ServerRun {
  readonly memory: MemoryDisk;
  readonly disk: CrashableDisk;
  readonly ends: Set<LinkEnd>;
  isAlive: boolean;
  isStopping: boolean;
  world: WorldEngine | undefined;
  port: SyncWorld | undefined;
  syncServer: SyncServer | undefined;
}

export const SERVER_TICK_MS = 50;
/** The edit rule rejects edits with this block. */
export const FORBIDDEN_BLOCK = 9;
const VETO_MS_MAX = 120;
/** Small enough that regions without watchers are unloaded all the time. */
const LOADED_BYTES_MAX = 30_000;
/** Client id of the server's own edits; no client has it. */
const OPERATOR_ID = 1n;
const STORE_KEY = "steps";
const STORE_PADDING_MAX = 300;

/** A server that can stop or crash at any moment, and comes up again. */
export class SimServer {
  readonly #options: SimServerOptions;
  readonly #storeHistory = new StoreHistory();
  #run: ServerRun | undefined;
  #operatorEditId = 0;
  #restartMs: number | undefined;
  #image: DiskImage = { directories: [], files: new Map() };
  #backup: { readonly image: DiskImage; readonly epoch: number } | undefined;

  constructor(options: SimServerOptions) {
    this.#options = options;
  }

  /** The world, while a sync server serves it. */
  get world(): WorldEngine | undefined {
    return this.#run?.syncServer === undefined ? undefined : this.#run.world;
  }

  /** The sync server, while it accepts clients. */
  get syncServer(): SyncServer | undefined {
    const run = this.#run;
    return run?.isStopping === true ? undefined : run?.syncServer;
  }

  /** Creates the world and starts serving it. */
  async create(): Promise<void> {
    const { plan, time } = this.#options;
    const run = this.#begin();
    const { shape, generator } = plan;
    run.world = await createWorldEngine(
      run.disk,
      { name: "sim", shape, generator },
      this.#worldOptions(time),
    );
    await this.#openSyncServer(run, run.world);
  }

  /** Connects a client. Returns false when the server is down or stopping. */
  connect(end: LinkEnd): boolean {
    const run = this.#run;
    if (run?.syncServer === undefined || run.isStopping) return false;
    const session = run.syncServer.connect(end);
    run.ends.add(end);
    end.listen({
      receive: (frame) => {
        if (run.isAlive) session.receive(frame);
      },
      disconnected: () => {
        run.ends.delete(end);
        if (run.isAlive) session.disconnected();
      },
    });
    return true;
  }

  /** Ticks the sync server, and reopens the world when due. */
  tick(): void {
    const { time, fail } = this.#options;
    this.#run?.syncServer?.tick();
    if (this.#restartMs === undefined || time.nowMs() < this.#restartMs) return;
    this.#restartMs = undefined;
    this.#open().catch(fail);
  }

  /** Simulates a crash of the process. */
  crash(): void {
    const run = this.#run;
    if (run === undefined) return;
    run.isAlive = false;
    run.disk.kill();
    this.#image = run.memory.image();
    // The links of a dead process close, but frames already sent may still arrive.
    for (const end of run.ends) end.close();
    this.#end();
  }

  /** Copies the disk, even during other work. */
  backUp(): void {
    const run = this.#run;
    if (run?.port !== undefined) this.#backup = { image: run.memory.image(), epoch: run.port.epoch.number };
  }

  /** Crashes the server and replaces its disk with the backup. Returns false when there is no backup. */
  rollBack(): boolean {
    const { history, states } = this.#options;
    if (this.#run === undefined || this.#backup === undefined) return false;
    this.crash();
    this.#image = this.#backup.image;
    states.forgetAfter(this.#backup.epoch);
    history.rollBack();
    this.#storeHistory.rollBack();
    return true;
  }

  /** Shuts down gracefully. */
  stop(): void {
    const run = this.#run;
    if (run?.syncServer === undefined || run.isStopping) return;
    run.isStopping = true;
    this.#shutDown(run, run.syncServer).catch(this.#options.fail);
  }

  /** Reopens the world with the next tick, if the server is down. */
  ensureUp(): void {
    if (this.#run === undefined) this.#restartMs = this.#options.time.nowMs();
  }

  /** Starts a save. When it ends, all edits applied before it are durable. */
  save(): void {
    const { fail } = this.#options;
    const run = this.#run;
    if (run?.world === undefined || run.syncServer === undefined || run.isStopping) return;
    const markDurable = this.#markingDurable(run);
    run.world.save().then(markDurable, fail);
  }

  /** Changes the world's store. */
  changeStore(): void {
    const { history, plan, prng, fail } = this.#options;
    const run = this.#run;
    if (run?.world === undefined || run.syncServer === undefined || run.isStopping) return;
    const number = this.#storeHistory.begin(history.length);
    const value = new Uint8Array(4 + prng.below(STORE_PADDING_MAX));
    new DataView(value.buffer).setUint32(0, number);
    run.world.store.change(STORE_KEY, value).then(
      () => {
        if (!run.isAlive) return;
        this.#storeHistory.completed(number);
        if (plan.durability === "journal") this.#storeHistory.markDurable(number);
      },
      (error: unknown) => {
        // A world that closes may refuse it.
        if (run.isAlive && !run.isStopping) fail(error);
      },
    );
  }

  /** Makes an edit that no client requested. Returns false when the server is down or stopping. */
  edit(placements: readonly VoxelPlacement[]): boolean {
    const run = this.#run;
    if (run?.port === undefined || run.syncServer === undefined || run.isStopping) return false;
    const origin = { clientId: OPERATOR_ID, editId: ++this.#operatorEditId };
    run.port.edit({ kind: "voxels", placements }, origin).catch(this.#options.fail);
    return true;
  }

  #begin(): ServerRun {
    const { time, prng } = this.#options;
    const memory = new MemoryDisk(this.#image);
    const run: ServerRun = {
      memory,
      disk: new CrashableDisk(memory, time, prng),
      ends: new Set(),
      isAlive: true,
      isStopping: false,
      world: undefined,
      port: undefined,
      syncServer: undefined,
    };
    this.#run = run;
    return run;
  }

  #end(): void {
    const { time, prng } = this.#options;
    this.#run = undefined;
    this.#restartMs = time.nowMs() + prng.between(20, 500);
  }

  async #open(): Promise<void> {
    const { plan, time, onRecovered } = this.#options;
    const run = this.#begin();
    await this.#recover();
    onRecovered();
    run.disk.pace = plan.diskPace;
    run.world = await openWorldEngine(run.disk, this.#worldOptions(time));
    await this.#openSyncServer(run, run.world);
  }

  /** Checks the disk through a separate world, so that the served world has not read anything yet. */
  async #recover(): Promise<void> {
    const { plan, history, time } = this.#options;
    const world = await openWorldEngine(new MemoryDisk(this.#image), {
      time,
      generators: SERVER_GENERATORS,
      readOnly: true,
    });
    await world.load(plan.arena);
    history.recover({
      clockOf: (region) => world.clockOf(region) ?? CLOCK_NEVER,
      lastEditOf: (clientId) => world.lastEditOf(clientId),
      overrides: world.state.overrides,
    });
    const stored = await world.store.get(STORE_KEY);
    const number = stored === undefined ? 0 : new DataView(stored.buffer, stored.byteOffset).getUint32(0);
    this.#storeHistory.recover({ number, edits: history.length });
    await world.close();
  }

  async #openSyncServer(run: ServerRun, world: WorldEngine): Promise<void> {
    const { plan, time, states, fail } = this.#options;
    world.onFailure(fail);
    world.onEdit(({ clocks }) => {
      try {
        if (run.isAlive)
          for (const { region, after } of clocks) states.add(region, after, world.state.overrides);
      } catch (error) {
        fail(error);
      }
    });
    run.port = this.#watched(run, await syncWorldOf(world));
    if (!run.isAlive) return;
    run.disk.pace = plan.diskPace;
    run.syncServer = new SyncServer({
      world: run.port,
      time,
      authorize: async ({ token }) => {
        await this.#pause(VETO_MS_MAX);
        return accountOf(token);
      },
      acknowledge: plan.acknowledge,
      tickMs: SERVER_TICK_MS,
      limits: plan.limits,
      rules: { beforeEdit: ({ edit }) => this.#veto(edit) },
    });
  }

  async #shutDown(run: ServerRun, syncServer: SyncServer): Promise<void> {
    await syncServer.shutdown("the server restarts", 500);
    await run.world?.close();
    if (!run.isAlive) return;
    this.#markingDurable(run)();
    run.isAlive = false;
    this.#image = run.memory.image();
    for (const end of run.ends) end.close();
    this.#end();
  }

  /** Wraps the world for the sync server, to record edits and durability. */
  #watched(run: ServerRun, port: SyncWorld): SyncWorld {
    const { history, fail } = this.#options;
    const edit: SyncWorld["edit"] = async (requested, origin, onApply) => {
      // What a placement without a block keeps is known only when its turn comes.
      const placements =
        requested.kind === "voxels" ? requested.placements : [...placementsOf(requested, port.state)];
      if (placements.some(({ block }) => block === FORBIDDEN_BLOCK))
        fail(new Error("an edit was made that was vetoed"));
      const { complete } = this.#storeHistory;
      const result = await port.edit(requested, origin, onApply);
      try {
        if (run.isAlive && result.status !== "duplicate") {
          history.add({ origin, placements, clocks: result.clocks });
          this.#storeHistory.addEdit(complete);
        }
      } catch (error) {
        fail(error);
      }
      return result;
    };
    const whenDurable: SyncWorld["whenDurable"] = async () => {
      const markDurable = this.#markingDurable(run);
      await port.whenDurable();
      markDurable();
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

  /** Returns a function that marks as durable what the world has applied by now. */
  #markingDurable(run: ServerRun): () => void {
    const { history } = this.#options;
    const { length } = history;
    const { complete } = this.#storeHistory;
    return () => {
      if (!run.isAlive) return;
      history.markDurable(length);
      this.#storeHistory.markDurable(complete);
    };
  }

  async #veto(edit: RequestedEdit): Promise<{ readonly reject: string } | undefined> {
    await this.#pause(VETO_MS_MAX);
    const blocks = [...placementsOf(edit, NO_WORLD)].map(({ block }) => block);
    return blocks.includes(FORBIDDEN_BLOCK) ? { reject: "forbidden here" } : undefined;
  }

  /** Sometimes waits for up to `msMax`. */
  async #pause(msMax: number): Promise<void> {
    const { time, prng } = this.#options;
    if (!prng.chance(0.1)) return;
    const pauseMs = prng.between(1, msMax);
    await sleep(time, pauseMs);
  }

  #worldOptions(time: FakeTime) {
    const { prng, plan } = this.#options;
    const { durability } = plan;
    const random = () => (BigInt(prng.u32()) << 32n) | BigInt(prng.u32());
    const loadedBytesMax = LOADED_BYTES_MAX;
    return { time, generators: SERVER_GENERATORS, random, loadedBytesMax, durability };
  }
}

/** Placements of blocks need no world. */
const NO_WORLD = { voxelAt: (): number => 0, dataAt: (): undefined => undefined };
