import { DEFAULT_BLOCKS } from "@orthant/core";
import { FakeTime, LossyNetwork, Prng, RELIABLE_NETWORK } from "@orthant/testkit";
import { faultInCalm } from "./calm-check.ts";
import { EditHistory } from "./edit-history.ts";
import { RegionStates } from "./region-states.ts";
import { SimClient } from "./sim-client.ts";
import { drawConditions, planOf, SERVER_GENERATORS, type SimPlan } from "./sim-plan.ts";
import { SERVER_TICK_MS, SimServer } from "./sim-server.ts";
import { SimWorkload } from "./sim-workload.ts";

/** Step of the fake clock. Promises settle between two steps. */
const SLICE_MS = 10;
const STEP_MS_MIN = 5;
const STEP_MS_MAX = 45;
/** Time within which everything must settle. */
const CALM_MS_MAX = 90_000;
const CALM_CHECK_MS = 500;
/** Most edits that a client leaves open. */
const OPEN_EDITS_MAX = 40;
const STEPS_BETWEEN_FULL_CHECKS = 250;

/** An action and its share of all actions. */
type Action = readonly [weight: number, act: (simulation: Simulation) => void];

/** One server, its clients and their network, in one thread, on a fake clock, from one seed. */
class Simulation {
  readonly #prng: Prng;
  readonly #time = new FakeTime();
  readonly #plan: SimPlan;
  readonly #network: LossyNetwork;
  readonly #server: SimServer;
  readonly #clients: readonly SimClient[];
  readonly #workload: SimWorkload;
  readonly #history: EditHistory;
  readonly #entities: bigint[] = [];
  #renames = 0;
  #failure: unknown;

  constructor(seed: number) {
    const prng = new Prng(seed);
    const plan = planOf(prng);
    const { shape, generator } = plan;
    const time = this.#time;
    const states = new RegionStates(SERVER_GENERATORS, generator, shape);
    const history = new EditHistory(shape, states);
    const network = new LossyNetwork(time, prng, drawConditions(prng, plan.network));
    this.#prng = prng;
    this.#plan = plan;
    this.#network = network;
    this.#history = history;
    this.#workload = new SimWorkload(prng, plan);
    this.#server = new SimServer({
      plan,
      time,
      prng,
      history,
      states,
      fail: (error) => {
        this.#failure ??= error;
      },
      onRecovered: () => this.#requireAcknowledged(),
    });
    this.#clients = plan.clients.map(
      (client, index) =>
        new SimClient({
          number: index + 1,
          plan,
          client,
          time,
          prng,
          network,
          server: this.#server,
          history,
          states,
        }),
    );
  }

  /** Short description of the case. */
  get summary(): string {
    const { shape, generator, acknowledge, durability, clients, network } = this.#plan;
    const kinds = clients.map(({ detail }) => detail.slice(0, 1)).join("");
    return `[${shape.extents}] ${generator.generatorId} ${acknowledge} ${durability} ${network} ${kinds}`;
  }

  /** Plays the case. Throws at the first fault. */
  async run(steps: number): Promise<void> {
    await this.#server.create();
    for (const client of this.#clients) client.setInterest(this.#workload.interest());
    for (let step = 1; step <= steps; step++) {
      try {
        this.#act();
        await this.#pass(this.#prng.between(STEP_MS_MIN, STEP_MS_MAX));
        if (step % STEPS_BETWEEN_FULL_CHECKS === 0)
          for (const client of this.#clients) client.checkAllRegions();
      } catch (error) {
        throw new Error(`step ${step}: ${messageOf(error)}`, { cause: error });
      }
    }
    await this.#calmDown();
  }

  #act(): void {
    const total = ACTIONS.reduce((sum, [weight]) => sum + weight, 0);
    let draw = this.#prng.fraction() * total;
    for (const [weight, act] of ACTIONS) {
      draw -= weight;
      if (draw >= 0) continue;
      act(this);
      return;
    }
  }

  editSomething(): void {
    const client = this.#prng.pick(this.#clients);
    if (client.syncClient.world !== undefined && client.openEdits.size < OPEN_EDITS_MAX)
      client.setVoxels(this.#workload.edit());
  }

  editByItself(): void {
    this.#server.edit(this.#workload.largeEdit());
  }

  moveInterest(): void {
    this.#prng.pick(this.#clients).setInterest(this.#workload.interest());
  }

  movePlayer(): void {
    this.#prng.pick(this.#clients).move(this.#workload.pose());
  }

  changeEntities(): void {
    const { world, syncServer } = this.#server;
    if (world === undefined || syncServer === undefined) return;
    const position = this.#workload.exactPosition();
    const known = this.#entities.filter((id) => world.entities.get(id) !== undefined);
    if (known.length < 3 || this.#prng.chance(0.2)) {
      this.#entities.push(world.entities.spawn({ kind: this.#prng.below(9), position }).entityId);
    } else if (this.#prng.chance(0.8)) {
      world.entities.change(this.#prng.pick(known), { position });
    } else {
      world.entities.despawn(this.#prng.pick(known));
    }
  }

  /** Adds, renames or retires a type of block. */
  changeBlocks(): void {
    const { world, syncServer } = this.#server;
    if (world === undefined || syncServer === undefined) return;
    const own = world.catalog.types.slice(DEFAULT_BLOCKS.types.length);
    const isNew = own.length === 0 || this.#prng.chance(0.5);
    const name = isNew ? `type ${this.#prng.below(100)}` : this.#prng.pick(own).name;
    const changing = isNew
      ? world.blocks.define({ [name]: {} })
      : this.#prng.chance(0.5)
        ? world.blocks.rename(name, `name ${++this.#renames}`)
        : world.blocks.retire(name);
    changing.catch((error) => {
      this.#failure ??= error;
    });
  }

  changeStore(): void {
    this.#server.changeStore();
  }

  save(): void {
    this.#server.save();
  }

  cutConnection(): void {
    this.#prng.pick(this.#clients).cut();
  }

  stopServer(): void {
    this.#server.stop();
  }

  crashServer(): void {
    this.#server.crash();
  }

  backUpServer(): void {
    this.#server.backUp();
  }

  rollBackServer(): void {
    if (this.#server.rollBack()) for (const client of this.#clients) client.loseTime();
  }

  restartClient(): void {
    this.#prng.pick(this.#clients).restart(this.#prng.chance(0.7) ? "everything" : "nothing");
  }

  changeNetwork(): void {
    this.#network.conditions = drawConditions(this.#prng, this.#plan.network);
  }

  /** Advances the time, and runs everything that falls due. */
  async #pass(ms: number): Promise<void> {
    const endMs = this.#time.nowMs() + ms;
    while (this.#time.nowMs() < endMs) {
      const beforeMs = this.#time.nowMs();
      this.#time.advance(Math.min(SLICE_MS, endMs - beforeMs));
      await settlePromises();
      const nowMs = this.#time.nowMs();
      if (falls(beforeMs, nowMs, 0)) this.#server.tick();
      for (const client of this.#clients) if (falls(beforeMs, nowMs, client.number * 17)) client.tick();
      if (this.#failure !== undefined) throw this.#failure;
    }
  }

  /** Advances the time until `work`, which waits for the disk, is done. */
  async #passUntil<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const end = (): void => {
      isDone = true;
    };
    work.then(end, end);
    await settlePromises();
    while (!isDone) await this.#pass(SLICE_MS);
    return work;
  }

  async #calmDown(): Promise<void> {
    this.#network.conditions = RELIABLE_NETWORK;
    this.#server.ensureUp();
    const endMs = this.#time.nowMs() + CALM_MS_MAX;
    for (const client of this.#clients) {
      client.move(this.#workload.pose());
      client.stopDropping();
    }
    // A client that lacks a patch without knowing notices with the next one.
    const lastEdits = this.#plan.dropsPatches ? [...this.#workload.editsEverywhere()] : [];
    for (;;) {
      // A client that moved while disconnected must send its pose again, as real clients do continuously.
      for (const client of this.#clients) client.stay();
      await this.#pass(CALM_CHECK_MS);
      const [edit] = lastEdits;
      if (edit !== undefined) {
        if (this.#server.edit(edit)) lastEdits.shift();
        continue;
      }
      const fault = await this.#faultNow();
      if (fault === undefined) break;
      if (this.#time.nowMs() >= endMs) throw new Error(`no rest after ${CALM_MS_MAX} ms: ${fault}`);
    }
    for (const client of this.#clients) client.checkAllRegions();
    const { world } = this.#server;
    if (world === undefined) throw new Error("the server went away in the calm");
    // Without this, the world would unload the first regions while loading the last ones.
    const release = world.keep(this.#plan.arena);
    await this.#passUntil(world.load(this.#plan.arena));
    this.#history.compare(world.state.overrides);
    release();
  }

  async #faultNow(): Promise<string | undefined> {
    const { world, syncServer } = this.#server;
    if (world === undefined || syncServer === undefined) return "the server is down";
    const parts = { world, syncServer, clients: this.#clients, history: this.#history, plan: this.#plan };
    return this.#passUntil(faultInCalm(parts));
  }

  #requireAcknowledged(): void {
    if (this.#plan.acknowledge !== "durable") return;
    for (const { clientId, number, acknowledged } of this.#clients) {
      for (const editId of acknowledged) {
        if (!this.#history.has({ clientId, editId }))
          throw new Error(`a crash took edit ${editId} of client ${number}, which was acknowledged`);
      }
    }
  }
}

const ACTIONS: readonly Action[] = [
  [45, (simulation) => simulation.editSomething()],
  [20, (simulation) => simulation.movePlayer()],
  [4, (simulation) => simulation.moveInterest()],
  [6, (simulation) => simulation.changeEntities()],
  [3, (simulation) => simulation.changeNetwork()],
  [2, (simulation) => simulation.changeBlocks()],
  [2, (simulation) => simulation.changeStore()],
  [2, (simulation) => simulation.save()],
  [1, (simulation) => simulation.cutConnection()],
  [1.5, (simulation) => simulation.editByItself()],
  [0.8, (simulation) => simulation.restartClient()],
  [0.3, (simulation) => simulation.crashServer()],
  [0.2, (simulation) => simulation.backUpServer()],
  [0.1, (simulation) => simulation.rollBackServer()],
  [0.15, (simulation) => simulation.stopServer()],
];

/** Plays the case of a seed. Returns its fault, if any. */
export async function faultOfCase(seed: number, steps: number): Promise<string | undefined> {
  const simulation = new Simulation(seed);
  try {
    await simulation.run(steps);
    return undefined;
  } catch (error) {
    return `${messageOf(error)} (${simulation.summary})`;
  }
}

/** Returns whether a tick that recurs every 50 ms, shifted by `phaseMs`, falls into a span of time. */
function falls(fromMs: number, toMs: number, phaseMs: number): boolean {
  return Math.floor((fromMs + phaseMs) / SERVER_TICK_MS) < Math.floor((toMs + phaseMs) / SERVER_TICK_MS);
}

/** Runs everything that needs no time: nothing in a simulation waits for anything but its clock. */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
