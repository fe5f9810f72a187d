import { setImmediate as breathe } from "node:timers/promises";
import { OrthantError, type TimeSource } from "@orthant/core";
import type { Codec } from "@orthant/core/bytes";
import {
  DEFAULT_GENERATORS,
  generatorRef,
  PLATFORMS_DEFAULTS,
  platformsGenerator,
} from "@orthant/core/generate";
import { cubeAt, positionsLexicographic } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { EDIT_RUN_IDS, EDITS_OPEN_MAX } from "@orthant/protocol";
import { SyncClient } from "@orthant/protocol/client";
import { type ServerFrame, serverFrameCodec } from "@orthant/protocol/internal";
import { type ServerSession, SyncServer } from "@orthant/protocol/server";
import { syncWorldOf } from "@orthant/server";
import { FakeTime, Prng } from "@orthant/testkit";
import { createWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { isOnGround } from "./hostile-frames.ts";
import { ATTACK_STAGES, ProtocolAttacker } from "./protocol-attacker.ts";

const TICK_MS = 50;
const ATTACKERS = 64;
/** Attack frames per attacker after which a wave ends, unless all are disconnected earlier. */
const FRAMES_PER_ATTACKER = 24;
/** Few, so that attackers reuse their own ids and those of others. */
const CLIENT_IDS = 500;
const RECORDED_MAX = 256;
const TICKS_OF_CALM = 100;
/** Enough for the results of edits. */
const TICKS_OF_RESULT = 3;
/** Clients from this id on have never been seen before. */
const FRESH_CLIENT_ID = 2n ** 40n;
const EDIT_ID_MAX = Number.MAX_SAFE_INTEGER;
/** Edit ids around which numbers are counted, cut off or rounded. */
const BOUNDARY_IDS: readonly number[] = [
  ...[1, 2 ** 16, EDIT_RUN_IDS, 2 ** 31, 2 ** 32, 2 ** 52].flatMap((id) => [id, id + 1]),
  EDIT_ID_MAX - EDITS_OPEN_MAX,
  EDIT_ID_MAX - 1,
  EDIT_ID_MAX,
];
/** Some have no generators, so that the server sends them each chunk. */
const FOREIGN_CHANCE = 0.02;
const FOREIGN_GENERATORS: readonly bigint[] = [7n];

/** A server in this process, one honest client and waves of attackers, on a clock that runs as fast as possible. */
export class TargetSyncServer {
  readonly goodbyes = new Map<string, number>();
  readonly #world: WorldEngine;
  readonly #time = new FakeTime();
  readonly #server: SyncServer;
  readonly #honest: HonestSyncClient;
  readonly #codec: Codec<ServerFrame>;
  readonly #recorded: Uint8Array[] = [];
  readonly #seed: number;
  #failures = 0;
  #wave = 0;
  #slowestTickMs = 0;

  private constructor(world: WorldEngine, syncWorld: Awaited<ReturnType<typeof syncWorldOf>>, seed: number) {
    this.#world = world;
    this.#seed = seed;
    this.#codec = serverFrameCodec(world.shape.volume);
    this.#server = new SyncServer({
      world: syncWorld,
      time: this.#time,
      acknowledge: "applied",
      tickMs: TICK_MS,
      authorize: async ({ clientId, name, token }) => {
        if (token.length % 5 === 4) throw new OrthantError("ORT_CREDENTIALS", "not with such a token");
        return { playerId: clientId, name, role: clientId % 7n === 6n ? "viewer" : "builder" };
      },
      rules: {
        canReach: ({ player, voxel }) => player.playerId === 1n || isOnGround(voxel),
        beforeEdit: async ({ edit }) => {
          const block = edit.kind === "voxels" ? edit.placements[0]?.block : 0;
          return block === 13 ? { reject: "unlucky" } : undefined;
        },
      },
      events: {
        onGoodbye: (reason, limit) => {
          const why = limit === undefined ? reason : `${reason} ${limit}`;
          this.goodbyes.set(why, (this.goodbyes.get(why) ?? 0) + 1);
          if (reason === "failure") this.#failures++;
        },
      },
    });
    this.#honest = new HonestSyncClient(this.#server, this.#time);
  }

  static async create(seed: number): Promise<TargetSyncServer> {
    const world = await createWorldEngine(
      new MemoryDisk(),
      { generator: generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 1n), spawn: [0, 0, 0, HONEST_W] },
      { autosave: false },
    );
    return new TargetSyncServer(world, await syncWorldOf(world), seed);
  }

  /** Duration of the longest tick. */
  get slowestTickMs(): number {
    return this.#slowestTickMs;
  }

  /** Edits that the honest client requested, and those that were made. */
  get honestEdits(): { readonly asked: number; readonly made: number } {
    return this.#honest.edits;
  }

  /** Runs one wave of at most `framesMax` attack frames. Returns how many were sent, and the server's faults. */
  async wave(framesMax: number): Promise<{ readonly sent: number; readonly faults: readonly string[] }> {
    const wave = this.#wave++;
    const prng = new Prng(this.#seed + wave * 1_000_003);
    const faults: string[] = [];
    const onFault = (detail: string): number => faults.push(`wave ${wave}: ${detail}`);
    const failuresBefore = this.#failures;
    const attackers = Array.from({ length: ATTACKERS }, () => {
      const clientId = BigInt(prng.between(2, CLIENT_IDS));
      return new ProtocolAttacker(this.#server, this.#codec, clientId, prng.pick(ATTACK_STAGES), onFault);
    });
    for (const attacker of attackers)
      attacker.sendHello(prng.chance(FOREIGN_CHANCE) ? { generators: FOREIGN_GENERATORS } : {});
    await this.#tick(prng);
    for (const attacker of attackers) attacker.actHonestly();
    let sent = 0;
    for (let round = 0; round < FRAMES_PER_ATTACKER && attackers.some(({ isClosed }) => !isClosed); round++) {
      for (const attacker of attackers) {
        if (attacker.isClosed || sent === framesMax) continue;
        this.#record(attacker.attack(this.#recorded, prng), prng);
        sent++;
      }
      await this.#tick(prng);
    }
    for (const attacker of attackers) if (!attacker.isClosed) attacker.leave();
    await this.#tryEditIds(prng, onFault);
    if (this.#failures > failuresBefore) onFault("the server failed instead of refusing");
    if (this.#server.sessionCount !== 1) onFault(`${this.#server.sessionCount} connections are left`);
    return { sent, faults };
  }

  /** Requires a result or a goodbye for an edit with any id, of a client that begins with any other. Rule N58. */
  async #tryEditIds(prng: Prng, onFault: (detail: string) => void): Promise<void> {
    const openEditId = prng.pick(BOUNDARY_IDS);
    const distance = prng.pick([0, 1, EDITS_OPEN_MAX - 1, EDITS_OPEN_MAX, EDIT_RUN_IDS]);
    const editId = prng.chance(0.5) ? prng.pick(BOUNDARY_IDS) : Math.min(openEditId + distance, EDIT_ID_MAX);
    const attacker = new ProtocolAttacker(
      this.#server,
      this.#codec,
      FRESH_CLIENT_ID + BigInt(this.#wave),
      "welcomed",
      onFault,
    );
    attacker.sendHello({ openEditId });
    await this.#tick(undefined);
    attacker.edit([editId]);
    await this.#ticks(TICKS_OF_RESULT);
    const isInWindow = editId >= openEditId && editId < openEditId + EDITS_OPEN_MAX;
    // Those before it are missing, so a client sends all of them.
    const ids = isInWindow
      ? Array.from({ length: editId - openEditId + 1 }, (_, at) => openEditId + at)
      : [editId];
    if (isInWindow) {
      attacker.edit(ids);
      await this.#ticks(TICKS_OF_RESULT);
    }
    const missing = ids.filter((id) => !attacker.answeredIds.has(id));
    if (!attacker.isClosed && missing.length > 0)
      onFault(`edits ${missing} after the open edit ${openEditId} got neither a result nor a goodbye`);
    if (attacker.isClosed && (isInWindow || editId < openEditId))
      onFault(`edit ${editId} after the open edit ${openEditId} got the goodbye ${attacker.goodbye?.detail}`);
    if (!attacker.isClosed) attacker.leave();
  }

  async #ticks(count: number): Promise<void> {
    for (let tick = 0; tick < count; tick++) await this.#tick(undefined);
  }

  /** Waits until everything is quiet. Returns the faults that the honest client sees. */
  async calm(): Promise<readonly string[]> {
    await this.#ticks(TICKS_OF_CALM);
    return this.#honest.findFaults(this.#world);
  }

  async #tick(prng: Prng | undefined): Promise<void> {
    this.#time.advance(TICK_MS);
    this.#honest.tick();
    if (prng !== undefined) this.#honest.build(prng);
    // Lets pending requests to the world finish.
    await breathe();
    const startMs = performance.now();
    this.#server.tick();
    this.#slowestTickMs = Math.max(this.#slowestTickMs, performance.now() - startMs);
  }

  #record(frame: Uint8Array, prng: Prng): void {
    if (this.#recorded.length < RECORDED_MAX) this.#recorded.push(frame);
    else if (prng.chance(0.05)) this.#recorded[prng.below(RECORDED_MAX)] = frame;
  }
}

const HONEST_INTEREST = cubeAt([-4, -4, -4, -4], 8);
/** The w coordinate of a place that no other client may edit. */
const HONEST_W = 1_000;

/** An honest client of a server in the same process. */
class HonestSyncClient {
  readonly #client: SyncClient;
  readonly #session: ServerSession;
  readonly #fromServer: Uint8Array[] = [];
  #asked = 0;
  #made = 0;
  readonly #faults: string[] = [];

  constructor(server: SyncServer, time: TimeSource) {
    this.#client = new SyncClient({
      time,
      generators: DEFAULT_GENERATORS,
      clientId: 1n,
      name: "honest",
      token: () => new Uint8Array(0),
      events: {
        onEditResult: ({ result }) => {
          if (result.status === "rejected") this.#faults.push(`refused an honest edit: ${result.reason}`);
          else this.#made++;
        },
        onGoodbye: ({ reason, detail }) => this.#faults.push(`told an honest client ${reason}: ${detail}`),
        onFault: (fault) => this.#faults.push(`told an honest client nonsense: ${fault}`),
      },
    });
    this.#session = server.connect({
      send: (frame) => this.#fromServer.push(frame),
      close: () => this.#faults.push("closed an honest connection"),
    });
    this.#client.connected({ send: (frame) => this.#session.receive(frame), close: () => undefined });
    this.#client.setInterest({
      boxes: [HONEST_INTEREST, cubeAt([0, 0, 0, HONEST_W / 8], 1)],
      center: [0, 0, 0, 0],
    });
  }

  /** Edits that were requested, and those that were made. */
  get edits(): { readonly asked: number; readonly made: number } {
    return { asked: this.#asked, made: this.#made };
  }

  /** Processes received frames, and sends what is due. */
  tick(): void {
    for (const frame of this.#fromServer.splice(0)) this.#client.receive(frame);
    this.#client.tick();
  }

  /** Makes an edit. */
  build(prng: Prng): void {
    if (this.#client.phase !== "joined" || this.#client.openEdits.length > 0) return;
    this.#asked++;
    this.#client.setVoxels([{ voxel: [prng.below(8), 0, 0, HONEST_W], block: prng.between(1, 9) }]);
  }

  /** Returns the faults that this client sees, once everything is quiet. */
  async findFaults(world: WorldEngine): Promise<readonly string[]> {
    const faults = [...this.#faults];
    if (!this.#client.isComplete) faults.push("the honest client does not hold its interest");
    if (this.#made !== this.#asked) faults.push(`${this.#made} of ${this.#asked} honest edits were made`);
    for (const chunk of positionsLexicographic(HONEST_INTEREST)) {
      const held = this.#client.replica?.chunkAt(chunk);
      if (held?.equals(await world.chunk(chunk)) !== true)
        faults.push(`chunk [${chunk}] is not the server's`);
    }
    return faults;
  }
}
