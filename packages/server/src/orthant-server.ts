import type { Clock } from "@orthant/core";
import type { Host, Player } from "@orthant/protocol";
import type { Registry } from "prom-client";
import type { WebSocket } from "ws";
import { Connection, type ConnectionContext } from "./connection.ts";
import { Entrance } from "./entrance.ts";
import type { EntranceOptions } from "./entrance-options.ts";
import type { Revocation, Revocations, RevocationTarget } from "./revocations.ts";
import { SendBacklog } from "./send-backlog.ts";
import type { CloseOptions, ServedWorld } from "./server-options.ts";
import { TickTimer } from "./tick-timer.ts";
import { urlHost } from "./url-host.ts";
import type { Wire1Listener } from "./wire1-listener.ts";

/** What a server is put together from. */
export interface ServerParts extends EntranceOptions {
  readonly world: ServedWorld;
  readonly host: Host;
  readonly revocations: Revocations;
  readonly clock: Clock;
  readonly tickMs: number;
  readonly closeWorld: boolean;
  readonly wire1?: Wire1Listener | undefined;
}

const RETRY_AFTER_MS = 1_000;

/** A world that is served. */
export class OrthantServer {
  /** The port at which it listens. */
  readonly port: number;
  /** Where clients connect to; on this machine, if it listens at all addresses. */
  readonly url: string;
  readonly #parts: ServerParts;
  readonly #context: ConnectionContext;
  readonly #connections = new Set<Connection>();
  readonly #timer: TickTimer;
  readonly #stopWatching: () => void;
  #whenEmpty: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  private constructor(parts: ServerParts, port: number, address: string) {
    const { world, listener, clock, tickMs, log } = parts;
    this.port = port;
    this.url = `${listener.isSecure ? "wss" : "ws"}://${urlHost(address)}:${port}`;
    this.#parts = parts;
    const backlog = new SendBacklog(parts.limits.sendBacklogTotalBytesMax);
    this.#context = { ...parts, backlog, volume: world.shape.volume };
    this.#timer = new TickTimer(clock, tickMs, (skipped) => this.#tick(skipped));
    this.#stopWatching = world.onFailure((failure) =>
      this.#reportError(failure, "the world could not be saved and takes no more edits"),
    );
    new Entrance(parts, {
      unready: () => this.#unready(),
      isClosing: () => this.#closing !== undefined,
      onSocket: (socket, from) => this.#welcome(socket, from),
    });
    log.info({ url: this.url, world: world.name, tickMs }, "listening");
  }

  /** Begins to listen; others use `createServer`. */
  static async listen(parts: ServerParts, port: number, address: string): Promise<OrthantServer> {
    return new OrthantServer(parts, await parts.listener.listen(port, address), address);
  }

  /** The UDP port for players of Wire v1; `undefined` where nobody listens for them. */
  get wire1Port(): number | undefined {
    return this.#parts.wire1?.port;
  }

  /** Players who are here. */
  get players(): readonly Player[] {
    return this.#parts.host.players;
  }

  /** Connections that are open, also those of nobody yet. */
  get connectionCount(): number {
    return this.#connections.size;
  }

  /** What the server counts. */
  get metrics(): Registry {
    return this.#parts.metrics.registry;
  }

  /** Sends a game's own message to a player; false when the player is not here, or has no room for it. */
  send(playerId: bigint, payload: Uint8Array): boolean {
    return this.#parts.host.send(playerId, payload);
  }

  /** Sends a game's own message to all players who have room for it. */
  broadcast(payload: Uint8Array): void {
    this.#parts.host.broadcast(payload);
  }

  /** Tells a player goodbye, and why; false when the player is not here. */
  kick(playerId: bigint, detail: string): boolean {
    return this.#parts.host.kick(playerId, detail);
  }

  /** Players and tokens that are revoked. */
  get revoked(): readonly Revocation[] {
    return this.#parts.revocations.list();
  }

  /** Ends all connections of a player, or of one token, at once, and refuses new ones until `allow` is called. */
  revoke(revocation: Revocation): void {
    this.#parts.revocations.add(revocation);
    this.#parts.host.checkAccounts();
  }

  /** Takes a revocation back; tells whether there was one. */
  allow(target: RevocationTarget): boolean {
    return this.#parts.revocations.remove(target);
  }

  /** Revokes exactly these players and tokens, and no others any longer. */
  replaceRevoked(revoked: readonly Revocation[]): void {
    this.#parts.revocations.replace(revoked);
    this.#parts.host.checkAccounts();
  }

  /** Takes the certificate that is in its files now; connections that are open stay. */
  async reloadCertificate(): Promise<void> {
    await this.#parts.listener.reloadCertificate();
  }

  /**
   * Lets nobody in any more, tells all clients goodbye and when to come back, saves the world and stops listening.
   * It stops also when the save fails, and then throws what the save threw. Closing twice is harmless.
   */
  close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  async #close(options: CloseOptions): Promise<void> {
    const { detail = "the server is going down", retryAfterMs = RETRY_AFTER_MS } = options;
    const { host, listener, log, world, closeWorld, wire1 } = this.#parts;
    log.info({ connections: this.#connections.size }, "closing");
    try {
      await wire1?.close();
      // A rule of the game may never answer about an edit; a server closes all the same.
      await this.#forCloseTime(host.shutdown(detail, retryAfterMs));
      this.#timer.stop();
      // The save does not wait for clients, and clients not for the save.
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

  /** Waits until all connections have ended, for as long as they have a right to. */
  async #drain(): Promise<void> {
    if (this.#connections.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = this.#parts.clock.wait(this.#parts.limits.closeMs, resolve);
      this.#whenEmpty = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  /** Waits for `work`, but no longer than clients may take to leave. */
  async #forCloseTime(work: Promise<void>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const timer = this.#parts.clock.wait(this.#parts.limits.closeMs, resolve);
      work.then(resolve, reject).finally(() => timer.cancel());
    });
  }

  #welcome(socket: WebSocket, address: string): void {
    const log = this.#parts.log.child({ address });
    const connection = new Connection(socket, address, this.#context, log, () => {
      this.#connections.delete(connection);
      if (this.#connections.size === 0) this.#whenEmpty?.();
    });
    this.#connections.add(connection);
  }

  #tick(skipped: number): void {
    const { host, metrics, wire1 } = this.#parts;
    const startMs = performance.now();
    try {
      if (this.#closing === undefined) wire1?.tick();
      host.tick();
    } catch (error) {
      this.#reportError(error, "a tick failed");
    }
    metrics.tick((performance.now() - startMs) / 1000, skipped);
  }

  #unready(): string | undefined {
    if (this.#closing !== undefined) return "closing";
    return this.#parts.world.failure === undefined ? undefined : "the world cannot be saved";
  }

  #reportError(error: unknown, message: string): void {
    this.#parts.metrics.error();
    this.#parts.log.error({ err: error }, message);
  }
}
