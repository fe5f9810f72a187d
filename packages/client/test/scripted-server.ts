import { setImmediate } from "node:timers/promises";
import {
  connectReplica,
  type ReplicaOptions,
  type StatusDetail,
  type WorldReplica,
} from "@orthant/client/replica";
import { DEFAULT_BLOCKS, HYPERCUBE_CHUNKS, type Position } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { blockCatalogHash } from "@orthant/core/chunk";
import { FLAT_DEFAULTS, flatGenerator, generatorRef } from "@orthant/core/generate";
import { GeneratorMap } from "@orthant/core/tree";
import { DEFAULT_PRECISION, type Welcome } from "@orthant/protocol";
import {
  type ClientMessage,
  clientFrameCodec,
  KNOWN_FEATURES,
  PROTOCOL_VERSION,
  regionMask,
  type ServerMessage,
  serverFrameCodec,
} from "@orthant/protocol/internal";
import { DEFAULT_SYNC_LIMITS } from "@orthant/protocol/server";
import { FakeTime } from "@orthant/testkit";
import { type FakeSocket, fakeSockets } from "./fake-socket.ts";

/** The scripted server's answer to a hello. */
const WELCOME: Welcome = {
  kind: "welcome",
  version: PROTOCOL_VERSION,
  featureBits: KNOWN_FEATURES,
  worldId: 77n,
  epoch: { number: 3, id: 9n },
  worldName: "Valley",
  shape: HYPERCUBE_CHUNKS,
  generators: GeneratorMap.of(generatorRef(flatGenerator, FLAT_DEFAULTS, 1n)),
  blocksHash: blockCatalogHash(DEFAULT_BLOCKS),
  catalog: DEFAULT_BLOCKS,
  spawn: [0, 4, 0, 0],
  playerId: 5n,
  role: "builder",
  resumed: false,
  tickMs: 50,
  limits: DEFAULT_SYNC_LIMITS,
  precision: DEFAULT_PRECISION,
  position: [1, 2, 3, 4],
  orientation: [0, 0, 0, 1],
};

/** The time of a machine that may sleep, which makes all its timers late. */
class SleepyTime extends FakeTime {
  #sleptMs = 0;

  override nowMs(): number {
    return super.nowMs() + this.#sleptMs;
  }

  sleep(ms: number): void {
    this.#sleptMs += ms;
  }
}

/** One status report of a client. */
export type StatusReport = readonly [status: string, detail: StatusDetail];

/** A client on fake time whose sockets end in the test. */
export class ScriptedServer {
  readonly time = new SleepyTime();
  readonly sockets: FakeSocket[];
  readonly world: WorldReplica;
  readonly reports: StatusReport[] = [];
  #number = 0;
  #read = 0;

  /** Starts to connect a client. The jitter is half of its maximum unless `random` is given. */
  constructor(options: ReplicaOptions = {}, url: string | readonly string[] = "ws://test") {
    const { sockets, open } = fakeSockets();
    this.sockets = sockets;
    this.world = connectReplica(url, {
      time: this.time,
      socket: open,
      random: () => 1n << 52n,
      timeoutMs: Number.POSITIVE_INFINITY,
      ...options,
    });
    this.world.onStatus((status, detail) => this.reports.push([status, detail]));
  }

  /** The newest socket. */
  get socket(): FakeSocket {
    const socket = this.sockets.at(-1);
    if (socket === undefined) throw new Error("the client has not opened a socket");
    return socket;
  }

  /** Returns the statuses reported since the last call. */
  statuses(): readonly string[] {
    return this.reports.splice(0).map(([status]) => status);
  }

  /** Opens the newest socket and sends the welcome. */
  async join(change: Partial<Welcome> = {}): Promise<void> {
    await settled();
    this.#number = 0;
    this.#read = 0;
    this.socket.open();
    this.say({ ...WELCOME, ...change });
    await settled();
  }

  /** Sends one frame. */
  say(...messages: readonly ServerMessage[]): void {
    const codec = serverFrameCodec(HYPERCUBE_CHUNKS.volume);
    this.socket.receive(encode(codec, { number: ++this.#number, messages }));
  }

  /** Sends regions as generated, as stream item 1, and reports the interest as complete. */
  sayGenerated(regions: readonly Position[], interestId = 1): void {
    this.say(
      { kind: "blank", streamNumber: 1, content: "generated", mask: regionMask(regions) },
      { kind: "heartbeat", interestId, complete: true, sent: 1 },
    );
  }

  /** Returns what the client sent over the newest socket since the last call. */
  received(): readonly ClientMessage[] {
    const frames = this.socket.sent.slice(this.#read);
    this.#read = this.socket.sent.length;
    return frames.flatMap((frame) => decode(clientFrameCodec, frame).messages);
  }

  /** Lets time pass in ticks, and runs what they start. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 50) {
      this.time.advance(Math.min(left, 50));
      await settled();
    }
  }
}

/** Resolves when everything that was ready to run has run. */
export async function settled(): Promise<void> {
  await setImmediate();
}
