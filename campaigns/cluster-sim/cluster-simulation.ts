import { createClusterWorld, DiskFolders, FIRST_SHARD, ShardFolders } from "@orthant/cluster";
import { shardsOf } from "@orthant/cluster/internal";
import type { Box, Position } from "@orthant/core";
import { blockCatalogHash } from "@orthant/core/chunk";
import { DEFAULT_GENERATORS, FLAT_DEFAULTS, flatGenerator, generatorRef } from "@orthant/core/generate";
import { boxBetween, positionsLexicographic, REGION_EDGE_CHUNKS, regionBox } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { FakeTime, LossyNetwork, Prng, RELIABLE_NETWORK } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { ClusterFaults } from "./cluster-faults.ts";
import { CATALOG, ClusterWorkload, SHAPE } from "./cluster-workload.ts";
import { Herd } from "./herd.ts";
import { JournalOracle, WatchedHub } from "./journal-oracle.ts";
import { Shuttles } from "./shuttles.ts";
import { SimClient } from "./sim-client.ts";
import { SimGateway } from "./sim-gateway.ts";
import { SimNode, type SimSetting, WORLD } from "./sim-node.ts";

const GENERATOR = generatorRef(flatGenerator, FLAT_DEFAULTS, 1n);
/** The regions where everything happens: one on each side of the border where shards are split. */
const REGIONS: readonly Position[] = [
  [-1, 0, 0, 0],
  [0, 0, 0, 0],
];
const ARENA: Box = boxBetween([-REGION_EDGE_CHUNKS, 0, 0, 0], [REGION_EDGE_CHUNKS, 4, 1, 1]);
/** Late enough that a clock may be set back by hours. */
const START_MS = 1_700_000_000_000;
const STEP_MS_MAX = 120;
/** Distance of the seed of the shuttles from that of the case. */
const SHUTTLE_SEED = 1_000_003;
/** Time within which everything must come to rest, also with a folder that takes a second or two for an operation. */
const CALM_MS_MAX = 120_000;
const CALM_CHECK_MS = 1_000;
/** More clients than there are. */
const CLIENTS_MAX = 4_096;
/** Time for two or three attempts of a process to start. */
const SETTLED_MS = 8_000;
const SETTLED_ATTEMPTS = 3;
/**
 * Probability that a case ends with an edit whose record no gateway receives and that no other edit follows.
 */
const LAST_WORD_CHANCE = 0.1;
const LAST_WORD_MS = 1_000;

/** Owners, gateways and clients of one world, in one thread, on one clock, from one seed. */
class ClusterSimulation {
  readonly #prng: Prng;
  readonly #time = new FakeTime(START_MS);
  readonly #store = new DiskFolders(new MemoryDisk());
  readonly #hub: WatchedHub;
  readonly #oracle: JournalOracle;
  readonly #setting: SimSetting;
  readonly #nodes: readonly SimNode[];
  /** A second process with the name of one of the nodes. */
  readonly #twin: SimNode;
  readonly #gateways: readonly SimGateway[];
  readonly #network: LossyNetwork;
  readonly #faults: ClusterFaults;
  #clients: readonly SimClient[] = [];
  readonly #workload: ClusterWorkload;
  readonly #herd: Herd;
  #failure: unknown;

  constructor(seed: number) {
    const prng = new Prng(seed);
    const time = this.#time;
    const fail = (error: unknown): void => {
      this.#failure ??= error;
    };
    this.#prng = prng;
    const journalBytesMin = prng.pick([undefined, undefined, 4_096, 16_384]);
    const sizes = journalBytesMin && { journalBytesMin, journalBytesMax: 64 * journalBytesMin };
    this.#hub = new WatchedHub(
      { time, random: () => prng.fraction(), ...sizes },
      () => this.#oracle,
      (shard) => {
        const fault = this.#faults.waitingForJournal(shard);
        if (fault !== undefined) fail(new Error(fault));
      },
    );
    this.#workload = new ClusterWorkload(prng, ARENA);
    const space = DEFAULT_GENERATORS.open(GENERATOR, SHAPE);
    const clientsMax = prng.pick([1, 2, 3, CLIENTS_MAX]);
    // From numbers of its own, so that a case without shuttles stays the same.
    const shuttles = new Shuttles(new Prng(seed + SHUTTLE_SEED), fail);
    this.#oracle = new JournalOracle(SHAPE.volume, space, this.#workload, clientsMax, shuttles, fail);
    this.#setting = {
      ...{ time, prng, hub: this.#hub, store: this.#store, fail },
      pace: { slowChance: prng.pick([0, 0.05, 0.2]), slowMsMax: prng.pick([10, 150, 1_500]) },
      checkpointMs: prng.pick([300, 1_000, 3_000]),
      clientsMax,
      simulate: (node) => shuttles.simulate(node),
    };
    this.#herd = new Herd(prng, ARENA, this.#oracle.herd, fail);
    this.#nodes = ["a", "b", "c"].map((name) => new SimNode(name, this.#setting));
    this.#gateways = [new SimGateway(this.#setting), new SimGateway(this.#setting)];
    this.#network = new LossyNetwork(time, prng, RELIABLE_NETWORK);
    this.#twin = new SimNode(prng.pick(this.#nodes).name, this.#setting);
    this.#faults = new ClusterFaults({
      twin: this.#twin,
      ...{ time, prng, hub: this.#hub, nodes: this.#nodes, gateways: this.#gateways, oracle: this.#oracle },
      workload: this.#workload,
      clients: () => this.#clients,
    });
  }

  /** Plays the case. Throws at the first violation. */
  async run(steps: number): Promise<void> {
    await this.#create();
    for (const node of this.#nodes) node.start();
    for (const gateway of this.#gateways) gateway.start();
    this.#clients = Array.from({ length: this.#prng.between(2, 5) }, (_, index) => this.#client(index));
    await this.#pass(1_500);
    if (this.#prng.chance(0.7)) this.#faults.split();
    await this.#pass(this.#oracle.shuttles.startMs);
    for (let step = 0; step < steps; step++) {
      if (!this.#faults.act()) this.#edit();
      this.#herd.act(this.#nodes);
      await this.#pass(this.#prng.between(1, STEP_MS_MAX));
      this.#checkClocks();
    }
    await this.#calmDown();
    if (!this.#prng.chance(LAST_WORD_CHANCE)) return;
    await this.#faults.inSilence(async () => {
      this.#edit();
      await this.#pass(LAST_WORD_MS);
    });
    await this.#calmDown();
  }

  async #create(): Promise<void> {
    const time = this.#time;
    const random = (): bigint => (BigInt(this.#prng.u32()) << 32n) | 1n;
    const source = new MemoryDisk();
    const world = await createWorldEngine(
      source,
      { shape: SHAPE, generator: GENERATOR, catalog: CATALOG },
      { time, random, autosave: false },
    );
    this.#herd.populate(world);
    await world.close();
    const folders = new ShardFolders(this.#store, WORLD);
    const backbone = this.#hub.connect();
    await this.#passUntil(createClusterWorld({ backbone, folders, world: WORLD, source, random }));
  }

  #client(number: number): SimClient {
    return new SimClient({
      ...{ number, time: this.#time, prng: this.#prng, network: this.#network, oracle: this.#oracle },
      ...{ gateways: this.#gateways, arena: ARENA, fail: this.#setting.fail },
    });
  }

  #edit(): void {
    const placements = this.#workload.edit();
    this.#prng.pick(this.#clients).edit(placements);
  }

  async #calmDown(): Promise<void> {
    this.#oracle.shuttles.isHalted = true;
    this.#faults.heal();
    const endMs = this.#time.nowMs() + CALM_MS_MAX;
    for (;;) {
      await this.#pass(CALM_CHECK_MS);
      this.#faults.makeNeededRoom();
      const fault = this.#unrest();
      if (fault === undefined) {
        await this.#pass(100);
        const difference = await this.#difference();
        if (difference === undefined) break;
        if (this.#time.nowMs() >= endMs) throw new Error(`no agreement: ${difference}`);
      } else if (this.#time.nowMs() >= endMs) throw new Error(`no rest after ${CALM_MS_MAX} ms: ${fault}`);
    }
    if (this.#faults.trust.hasTwin) await this.#requireSettled();
  }

  /** Checks that shards stay with their owners while a second process tries to start with the name of a node. */
  async #requireSettled(): Promise<void> {
    const owners = (): string =>
      [...this.#nodes, this.#twin]
        .flatMap(({ name, node }) =>
          Array.from(node?.shards ?? [], ([shard, { term }]) => [name, shard, term]),
        )
        .sort()
        .join("; ");
    // A node that was paused while the second process had started may find that out only now.
    for (let attempt = 0; attempt < SETTLED_ATTEMPTS; attempt++) {
      const before = owners();
      await this.#pass(SETTLED_MS);
      if (owners() === before) return;
    }
    throw new Error("owners go on changing while a second process has the name of a node");
  }

  /** Checks that no gateway or client shows a clock that is not stored. */
  #checkClocks(): void {
    const shown = [
      ...this.#gateways.map(
        ({ gateway }) =>
          (region: Position) =>
            gateway?.world.clockOf(region),
      ),
      ...this.#clients.map(
        ({ sync }) =>
          (region: Position) =>
            sync.replica?.clockOf(region),
      ),
    ];
    for (const region of REGIONS) {
      for (const clockOf of shown) {
        const clock = clockOf(region);
        if (clock !== undefined && !this.#oracle.isStored(region, clock))
          throw new Error(`a gateway or client shows clock ${clock} of [${region}], which is not stored`);
      }
    }
  }

  /** Describes what is still in progress; `undefined` if nothing is. */
  #unrest(): string | undefined {
    if (this.#faults.isSplitting) return "a split is in progress";
    for (const { sync, clientId } of this.#clients) {
      if (sync.openEdits.length > 0) return `client ${clientId} has open edits`;
      if (!sync.isComplete) return `client ${clientId} does not hold all regions in its interest`;
    }
    for (const { gateway } of this.#gateways) {
      if (gateway === undefined) return "a gateway is down";
      if (gateway.report.openEdits > 0) return "a gateway has open edits";
    }
    const owned = [...this.#nodes, this.#twin].flatMap(({ node }) => [...(node?.shards.entries() ?? [])]);
    for (const [shard, { unsavedRecords, leavingEntities, leavingEdits }] of owned) {
      if (unsavedRecords > 0) return `shard ${shard} has records that are not saved`;
      if (leavingEdits > 0) return `edits of shard ${shard} have not arrived`;
      if (leavingEntities > 0) return `entities of shard ${shard} have not arrived`;
    }
    const shards = this.#faults.shards();
    for (const shard of shards)
      if (!owned.some(([name]) => name === shard)) return `shard ${shard} has no owner`;
    return undefined;
  }

  /** Describes how folders, gateways and clients differ; `undefined` if they agree and lack nothing. */
  async #difference(): Promise<string | undefined> {
    const saved = await this.#saved();
    const clockOf = (region: Position): number => saved.get(`${region}`)?.clockOf(region) ?? 0;
    try {
      for (const region of REGIONS) {
        const world = saved.get(`${region}`);
        if (world === undefined) return `no shard has saved [${region}]`;
        const clock = clockOf(region);
        for (const { gateway } of this.#gateways) {
          // A gateway without clients holds nothing.
          if (gateway?.world.isLoaded(regionBox(region)) !== true) continue;
          if (gateway.world.clockOf(region) !== clock) return `a gateway has another clock of [${region}]`;
        }
        for (const { sync, clientId } of this.#clients)
          if (sync.replica?.clockOf(region) !== clock)
            return `client ${clientId} has another clock of [${region}]`;
        this.#compare(region, clock, world);
        requireKnownBlocks(world, region);
      }
      const difference =
        this.#differenceOfBlocks() ??
        (await this.#oracle.shuttles.fault(this.#faults, (shard) => this.#openSaved(shard))) ??
        (await this.#herd.fault(this.#faults, (shard) => this.#openSaved(shard), this.#clients));
      if (difference !== undefined) return difference;
      this.#requireKept(clockOf);
    } finally {
      for (const world of new Set(saved.values())) await world.close();
    }
    return undefined;
  }

  /** Describes who lacks blocks of the map. An earlier map may have replaced one that was lost with the table. */
  #differenceOfBlocks(): string | undefined {
    const map = this.#faults.map();
    if (map === undefined || this.#faults.hasLostTable) return undefined;
    const hash = blockCatalogHash(map.world.catalog);
    for (const { gateway } of this.#gateways)
      if (gateway !== undefined && blockCatalogHash(gateway.world.catalog) !== hash)
        return "a gateway has other blocks than the map";
    for (const { sync, clientId } of this.#clients) {
      const held = sync.world?.catalog;
      if (held === undefined || blockCatalogHash(held) !== hash)
        return `client ${clientId} has other blocks than the map`;
    }
    return undefined;
  }

  async #openSaved(shard: string): Promise<WorldEngine> {
    const term = await new ShardFolders(this.#store, WORLD).termOf(shard);
    const disk = this.#store.disk(`${WORLD}/shards/${shard}/e${term}`);
    return openWorldEngine(disk, { readOnly: true, time: this.#time });
  }

  /** Checks that everything at the same clock has the same content, bit by bit. */
  #compare(region: Position, clock: number, saved: WorldEngine): void {
    const states = [
      saved.state,
      ...this.#gateways.flatMap(({ gateway }) => (gateway ? [gateway.world.state] : [])),
    ];
    const held = states.filter(
      (_state, index) =>
        index === 0 || this.#gateways[index - 1]?.gateway?.world.isLoaded(regionBox(region)) === true,
    );
    for (const position of positionsLexicographic(regionBox(region))) {
      for (const [index, state] of held.entries()) {
        const fault = this.#oracle.faultOf(region, clock, position, state.realizeChunk(...position));
        if (fault !== undefined) throw new Error(`${index === 0 ? "the save" : "a gateway"}: ${fault}`);
      }
    }
    for (const client of this.#clients) {
      const fault = client.fault([region]);
      if (fault !== undefined) throw new Error(fault);
    }
  }

  #requireKept(clockOf: (region: Position) => number): void {
    for (const { clientId, clientKey, acknowledged } of this.#clients) {
      for (const editId of acknowledged) {
        if (!this.#oracle.isKept(clientKey, editId, clockOf))
          throw new Error(`edit ${editId} of client ${clientId} was acknowledged, and is lost`);
      }
    }
  }

  /** Returns the saves of all shards by region. */
  async #saved(): Promise<ReadonlyMap<string, WorldEngine>> {
    const worlds = new Map<string, WorldEngine>();
    const map = this.#faults.map();
    for (const shard of map === undefined ? [FIRST_SHARD] : shardsOf(map)) {
      const world = await this.#openSaved(shard);
      for (const region of REGIONS) {
        if (this.#faults.shardOf(region) !== shard) continue;
        await world.load(regionBox(region));
        worlds.set(`${region}`, world);
      }
      if (![...worlds.values()].includes(world)) await world.close();
    }
    return worlds;
  }

  /** Advances the time and runs everything that falls due. */
  async #pass(ms: number): Promise<void> {
    const endMs = this.#time.nowMs() + ms;
    while (this.#time.nowMs() < endMs) {
      const nextMs = Math.min(this.#time.nextDueMs ?? endMs, endMs);
      this.#time.advance(Math.max(0, nextMs - this.#time.nowMs()));
      await promisesKept();
      if (this.#failure !== undefined) throw this.#failure;
    }
  }

  async #passUntil(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    work.then(
      () => {
        isDone = true;
      },
      (error) => {
        this.#failure ??= error;
      },
    );
    while (!isDone) await this.#pass(1);
  }
}

/** Checks that a save has the types of all its blocks. */
function requireKnownBlocks(saved: WorldEngine, region: Position): void {
  for (const position of positionsLexicographic(regionBox(region))) {
    const highest = Math.max(...saved.state.realizeChunk(...position).voxels());
    if (highest >= saved.catalog.endId)
      throw new Error(`the save: chunk [${position}] has block ${highest}, which is not a type`);
  }
}

/** Plays the case of a seed. Returns a description of the first violation, or `undefined`. */
export async function faultOfClusterCase(seed: number, steps: number): Promise<string | undefined> {
  const simulation = new ClusterSimulation(seed);
  try {
    await simulation.run(steps);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Runs everything that needs no time to pass: the simulation waits for nothing but its clock. */
function promisesKept(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
