import { decode, encode } from "@orthant/core/bytes";
import type { TileChunk } from "@orthant/core/chunk";
import { type Wire1Control, type Wire1Message, wire1Codec } from "@orthant/protocol/internal";
import {
  type Account,
  DEFAULT_SYNC_LIMITS,
  type SyncLimits,
  type SyncRules,
  SyncServer,
} from "@orthant/protocol/server";
import {
  DEFAULT_WIRE1_LIMITS,
  type Wire1Address,
  type Wire1Command,
  type Wire1Drop,
  type Wire1GameCommand,
  type Wire1Limits,
  type Wire1PlayerActions,
  Wire1Server,
} from "@orthant/protocol/wire1";
import { FakeTime } from "@orthant/testkit";
import { SampleWorld } from "../server/sample-world.ts";

export const TICK_MS = 100;

/** What a test may override. */
export interface Wire1StageOptions {
  readonly world?: SampleWorld;
  readonly limits?: Partial<SyncLimits & Wire1Limits>;
  readonly rules?: SyncRules;
  readonly role?: Account["role"];
  /** The Wire v1 player who is refused. */
  readonly banned?: number;
  readonly onCommand?: (player: Account, command: Wire1GameCommand, hand: Wire1PlayerActions) => void;
}

/** A Wire v1 server with its sync server, world and clock. */
export class Wire1Stage {
  readonly time = new FakeTime();
  readonly world: SampleWorld;
  readonly sync: SyncServer;
  readonly server: Wire1Server;
  readonly failures: unknown[] = [];
  readonly legacy: Wire1Address[] = [];
  readonly commands: (readonly [player: Account, command: Wire1GameCommand])[] = [];
  readonly #listeners = new Map<string, (datagram: Uint8Array) => void>();
  #ports = 0;

  constructor(options: Wire1StageOptions = {}) {
    const { world = new SampleWorld(), role = "builder", banned, onCommand, rules } = options;
    const limits = { ...DEFAULT_SYNC_LIMITS, ...DEFAULT_WIRE1_LIMITS, ...options.limits };
    const expected = new Map<bigint, Account>();
    const { time } = this;
    this.world = world;
    this.sync = new SyncServer({
      world,
      time,
      limits,
      tickMs: TICK_MS,
      acknowledge: "applied",
      authorize: async (hello) =>
        expected.get(hello.clientId) ?? { playerId: hello.clientId, role: "builder", name: hello.name },
      ...(rules && { rules }),
    });
    this.server = new Wire1Server({
      world,
      sync: this.sync,
      expected,
      time,
      limits,
      accountOf: (playerId) =>
        playerId === banned ? undefined : { playerId: BigInt(playerId), role, name: `player ${playerId}` },
      send: ({ port }, datagram) => this.#listeners.get(String(port))?.(datagram),
      events: {
        onCommand: (player, command, hand) => {
          this.commands.push([player, command]);
          onCommand?.(player, command, hand);
        },
        onLegacy: (from) => this.legacy.push(from),
        onFailure: (error) => this.failures.push(error),
      },
    });
  }

  /** Returns the number of datagrams dropped for a reason. */
  dropped(reason: Wire1Drop): number {
    return this.server.counts.dropped[reason];
  }

  /** Returns a peer at a new address that has sent nothing yet. */
  stranger(address = "10.0.0.1"): RawPeer {
    const from: Wire1Address = { address, port: ++this.#ports };
    const peer = new RawPeer(this.server, from);
    this.listen(from, (datagram) => peer.receive(datagram));
    return peer;
  }

  /** Returns a peer in a session. */
  async peer(address?: string): Promise<RawPeer> {
    const peer = this.stranger(address);
    peer.say("syn");
    peer.say("ack");
    await this.tick();
    return peer;
  }

  /** Sets the listener for datagrams to an address. */
  listen({ port }: Wire1Address, listener: (datagram: Uint8Array) => void): void {
    this.#listeners.set(String(port), listener);
  }

  /** Runs ticks. */
  async tick(count = 1): Promise<void> {
    for (let tick = 0; tick < count; tick++) {
      this.time.advance(TICK_MS);
      this.server.tick();
      this.sync.tick();
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    }
  }
}

/** An address that sends exactly what a test says. */
export class RawPeer {
  readonly from: Wire1Address;
  readonly #server: Wire1Server;
  #received: Wire1Message[] = [];
  sentBytes = 0;
  receivedBytes = 0;

  constructor(server: Wire1Server, from: Wire1Address) {
    this.#server = server;
    this.from = from;
  }

  receive(datagram: Uint8Array): void {
    this.receivedBytes += datagram.length;
    this.#received.push(decode(wire1Codec, datagram));
  }

  say(control: Wire1Control): void {
    this.send(encode(wire1Codec, { kind: "control", control }));
  }

  command(command: Wire1Command, playerId: number = this.from.port): void {
    this.send(encode(wire1Codec, { kind: "command", playerId, command }));
  }

  send(datagram: Uint8Array): void {
    this.sentBytes += datagram.length;
    this.#server.receive(this.from, datagram);
  }

  /** Returns everything received since the last call. */
  take(): readonly Wire1Message[] {
    const received = this.#received;
    this.#received = [];
    return received;
  }

  /** Returns the control messages received since the last call, and drops chunks. */
  takeControls(): readonly Wire1Control[] {
    return this.take().flatMap((message) => (message.kind === "control" ? [message.control] : []));
  }

  /** Returns the chunks received since the last call, and drops control messages. */
  takeChunks(): readonly TileChunk[] {
    return this.take().flatMap((message) => (message.kind === "batch" ? message.chunks : []));
  }
}
