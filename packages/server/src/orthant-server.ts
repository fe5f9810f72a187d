import type { Duplex } from "node:stream";
import type { Dimensions, TimeSource } from "@orthant/core";
import { requireId, requireList, requireText } from "@orthant/core/arguments";
import type { Axes } from "@orthant/core/lattice";
import { type GameMessages, requireMessage } from "@orthant/core/world";
import { encodeGameMessage } from "@orthant/protocol";
import type { SyncServer } from "@orthant/protocol/server";
import { WorldEngine } from "@orthant/world/engine";
import type { Registry } from "prom-client";
import type { WebSocket } from "ws";
import { requireCloseOptions } from "./auth/arguments.ts";
import type { Revocation, Revocations, RevocationTarget } from "./auth/revocations.ts";
import { Connection, type ConnectionContext, SendBacklog } from "./connection.ts";
import { urlHost } from "./http/addresses.ts";
import { handleUpgrades } from "./http/upgrade-handler.ts";
import type { UpgradeHandlerOptions } from "./http/upgrade-handler-options.ts";
import { type ClusterCounts, vacancy } from "./metrics/cluster-metrics.ts";
import type { ServerMetrics } from "./metrics/server-metrics.ts";
import type { CloseOptions, ServedWorld } from "./server-options.ts";
import { checkedPose, onlinePlayer } from "./sync/checked-rules.ts";
import type { OnlinePlayer, PlayerPose } from "./sync/game-rules.ts";
import { TickTimer } from "./sync/tick-timer.ts";
import type { Wire1Listener } from "./wire1/wire1-listener.ts";

/** Everything that a server works with. */
export interface OrthantServerContext<D extends Dimensions = Dimensions> extends UpgradeHandlerOptions {
  readonly axes: Axes<D>;
  readonly world: ServedWorld;
  readonly sync: SyncServer;
  readonly revocations: Revocations;
  readonly metrics: ServerMetrics;
  readonly time: TimeSource;
  readonly tickMs: number;
  readonly messages: GameMessages;
  readonly closeWorld: boolean;
  /** State of a part of a cluster. */
  readonly cluster?: (() => ClusterCounts) | undefined;
  readonly wire1?: Wire1Listener | undefined;
}

const RETRY_AFTER_MS = 1_000;

/** A server of a world. */
export class OrthantServer<D extends Dimensions = Dimensions, Sent = unknown> {
  /** The port it listens on. */
  readonly port: number;
  /** Address for clients; on this machine, if it listens at all addresses. */
  readonly url: string;
  readonly #context: OrthantServerContext<D>;
  readonly #connectionContext: ConnectionContext;
  readonly #connections = new Set<Connection>();
  readonly #timer: TickTimer;
  readonly #stopWatching: () => void;
  #whenEmpty: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  private constructor(context: OrthantServerContext<D>, port: number, address: string) {
    const { world, listener, time, tickMs, log } = context;
    this.port = port;
    this.url = `${listener.isSecure ? "wss" : "ws"}://${urlHost(address)}:${port}`;
    this.#context = context;
    const backlog = new SendBacklog(context.limits.sendBacklogTotalBytesMax);
    this.#connectionContext = { ...context, backlog, onFrame: () => this.#timer.callIfLate() };
    this.#timer = new TickTimer(time, tickMs, (skipped) => this.#tick(skipped));
    const watching = [
      world.onFailure((failure) =>
        this.#reportError(failure, "the world could not be saved and takes no more edits"),
      ),
    ];
    // A simulation is active near players.
    if (world instanceof WorldEngine) watching.push(world.steps.addPlayers(() => context.sync.players));
    this.#stopWatching = () => {
      for (const stop of watching) stop();
    };
    handleUpgrades(context, {
      unready: () => this.#unready(),
      isClosing: () => this.#closing !== undefined,
      onSocket: (socket, stream, from) => this.#welcome(socket, stream, from),
    });
    log.info({ url: this.url, world: world.name, tickMs }, "listening");
  }

  /**
   * Starts to listen.
   *
   * @internal
   */
  static async listen<D extends Dimensions, Sent>(
    context: OrthantServerContext<D>,
    port: number,
    address: string,
  ): Promise<OrthantServer<D, Sent>> {
    return new OrthantServer(context, await context.listener.listen(port, address), address);
  }

  /** The UDP port for players of Wire v1; `undefined` when the server does not listen for them. */
  get wire1Port(): number | undefined {
    return this.#context.wire1?.port;
  }

  /** The players online. */
  get players(): readonly OnlinePlayer<D>[] {
    const { sync, axes } = this.#context;
    return sync.players.map((player) => onlinePlayer(axes, player));
  }

  /** Number of open connections, including those that have not joined yet. */
  get connectionCount(): number {
    return this.#connections.size;
  }

  /** The metrics of the server. */
  get metrics(): Registry {
    return this.#context.metrics.registry;
  }

  /**
   * Sends a message to a player: any value that JSON can hold, or a `Uint8Array`. The client's `onMessage` gets the
   * value. Returns `full` while too much waits for the player; try again after a tick.
   *
   * @example
   * server.send(player.playerId, { type: "chat", text: "Welcome" });
   */
  send(playerId: bigint, message: Sent): "sent" | "full" | "offline" {
    requireId("playerId", playerId);
    requireMessage(this.#context.messages.fromServer, message);
    return this.#context.sync.send(playerId, encodeGameMessage(message));
  }

  /** Sends a message, as `send` does, to all clients that have room for it. Returns their number. */
  broadcast(message: Sent): number {
    requireMessage(this.#context.messages.fromServer, message);
    return this.#context.sync.broadcast(encodeGameMessage(message));
  }

  /**
   * Moves a player. The clients of the player learn the pose with the reason, and their own moves that are on the way
   * do not undo it. Without an orientation, the player keeps looking the same way. Returns false when the player is
   * offline.
   *
   * @example
   * server.movePlayer(player.playerId, { position: [0, 70, 0] }, "respawn");
   */
  movePlayer(
    playerId: bigint,
    pose: Pick<PlayerPose<D>, "position"> & Partial<PlayerPose<D>>,
    reason = "",
  ): boolean {
    requireId("playerId", playerId);
    requireText("reason", reason);
    return this.#context.sync.movePlayer(playerId, checkedPose(this.#context.axes, "pose", pose), reason);
  }

  /** Disconnects a player, who reads the reason. Returns false when the player is offline. */
  kick(playerId: bigint, reason: string): boolean {
    requireId("playerId", playerId);
    requireText("reason", reason);
    return this.#context.sync.kick(playerId, reason);
  }

  /** Revoked players and tokens. */
  get revoked(): readonly Revocation[] {
    return this.#context.revocations.list();
  }

  /** Ends all connections of a player or one token at once, and refuses new ones until `allow` is called. */
  revoke(revocation: Revocation): void {
    this.#context.revocations.add(revocation);
    this.#context.sync.checkAccounts();
  }

  /** Removes a revocation. Returns whether there was one. */
  allow(target: RevocationTarget): boolean {
    return this.#context.revocations.remove(target);
  }

  /** Replaces all revocations with these. */
  replaceRevoked(revoked: readonly Revocation[]): void {
    requireList("revoked", revoked, "it is a list of revocations");
    this.#context.revocations.replace(revoked);
    this.#context.sync.checkAccounts();
  }

  /** Reloads the certificate from its files; open connections stay. */
  async reloadCertificate(): Promise<void> {
    await this.#context.listener.reloadCertificate();
  }

  /**
   * Refuses new clients, tells all clients goodbye and when to reconnect, saves the world and stops
   * listening. It also stops when the save fails, and then throws that error. Closing twice is harmless.
   */
  close(options: CloseOptions = {}): Promise<void> {
    requireCloseOptions(options);
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  async #close(options: CloseOptions): Promise<void> {
    const { detail = "the server is shutting down", retryAfterMs = RETRY_AFTER_MS } = options;
    const { sync, listener, log, world, closeWorld, wire1 } = this.#context;
    log.info({ connections: this.#connections.size }, "closing");
    try {
      await wire1?.close();
      // A game's rule may never answer about an edit; the server still closes.
      await this.#forCloseTime(sync.shutdown(detail, retryAfterMs));
      this.#timer.stop();
      // The save and the clients do not wait for each other.
      const [saved] = await Promise.allSettled([world.save(), this.#drain()]);
      if (saved.status === "rejected") throw saved.reason;
    } catch (error) {
      log.error({ err: error }, "closing failed");
      throw error;
    } finally {
      this.#timer.stop();
      this.#stopWatching();
      for (const connection of this.#connections) connection.terminate();
      await listener.close();
      if (closeWorld) await world.close();
      log.info("closed");
    }
  }

  /** Waits until all connections have ended, up to the time limit. */
  async #drain(): Promise<void> {
    if (this.#connections.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = this.#context.time.wait(this.#context.limits.closeMs, resolve);
      this.#whenEmpty = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  /** Waits for `work`, but no longer than clients may take to leave. */
  async #forCloseTime(work: Promise<void>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const timer = this.#context.time.wait(this.#context.limits.closeMs, resolve);
      work.then(resolve, reject).finally(() => timer.cancel());
    });
  }

  #welcome(socket: WebSocket, stream: Duplex, address: string): void {
    const log = this.#context.log.child({ address });
    const connection = new Connection(socket, stream, address, this.#connectionContext, log, () => {
      this.#connections.delete(connection);
      if (this.#connections.size === 0) this.#whenEmpty?.();
    });
    this.#connections.add(connection);
  }

  #tick(skipped: number): void {
    const { sync, metrics, wire1 } = this.#context;
    const startMs = performance.now();
    try {
      if (this.#closing === undefined) wire1?.tick();
      sync.tick();
    } catch (error) {
      this.#reportError(error, "a tick failed");
    }
    metrics.tick((performance.now() - startMs) / 1000, skipped);
  }

  #unready(): string | undefined {
    const { world, cluster } = this.#context;
    if (this.#closing !== undefined) return "closing";
    if (world.failure !== undefined) return "the world cannot be saved";
    return cluster && vacancy(cluster());
  }

  #reportError(error: unknown, message: string): void {
    this.#context.metrics.error();
    this.#context.log.error({ err: error }, message);
  }
}
