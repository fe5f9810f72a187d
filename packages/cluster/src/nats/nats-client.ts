import { readFile } from "node:fs/promises";
import { JetStreamApiError, type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import {
  type Authenticator,
  createInbox,
  credsAuthenticator,
  errors,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type NodeConnectionOptions,
  RequestError,
} from "@nats-io/transport-node";
import { isOrthantError, OrthantError } from "@orthant/core";
import { getOrAdd } from "@orthant/core/lattice";
import type { BackboneStatus, Subscription } from "../backbone/backbone.ts";
import { connectFirst, reconnectPace } from "./first-connection.ts";
import { GATEWAY_API, inboxPrefix, JETSTREAM_API, TABLE_STREAM } from "./names.ts";
import { type NatsRole, requirePermissions } from "./roles.ts";

/** A node's credentials for the servers. */
export type NatsCredentials =
  | { readonly user: string; readonly password: string }
  | { readonly token: string }
  /** A file written by `nsc`. */
  | { readonly file: string };

/** Addresses of the servers, and how to connect to them. */
export interface NatsConnectionOptions {
  /** Such as `nats://10.0.0.1:4222`. Further servers are discovered from the first one that answers. */
  readonly servers: readonly string[];
  readonly credentials?: NatsCredentials;
  /** PEM files. If set, the connection must be encrypted, and the servers must be given by name. */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  /** The node's name in the servers' connection lists. */
  readonly name?: string;
  /**
   * What this process does in the cluster. If set, `connectNats` checks that the user has the permissions for it, and
   * names those that are missing. Otherwise the user must have all permissions.
   */
  readonly role?: NatsRole;
  /** Timeout for answers. */
  readonly timeoutMilliseconds?: number;
}

const TIMEOUT_MS = 3000;
/** Time within which a leader answers. */
const ANSWERED_MS = 300;
/** Ping interval. A server that is silent for three of these is abandoned for another. */
const PING_MS = 2000;

/** The connection to the servers. Tracks whether it is up, and gives every failure an error code. */
export class NatsClient {
  readonly connection: NatsConnection;
  readonly timeoutMilliseconds: number;
  /** Prefix of requests to JetStream. */
  readonly api: string;
  readonly #manager: JetStreamManager;
  readonly #listeners = new Set<(status: BackboneStatus) => void>();
  /** Requests that wait for the leader of a stream, by stream. */
  readonly #interrupts = new Map<string, Set<() => void>>();
  #isConnected = true;

  readonly #inboxPrefix: string;

  private constructor(
    connection: NatsConnection,
    manager: JetStreamManager,
    api: string,
    { timeoutMilliseconds = TIMEOUT_MS, credentials }: NatsConnectionOptions,
  ) {
    this.connection = connection;
    this.#manager = manager;
    this.api = api;
    this.timeoutMilliseconds = timeoutMilliseconds;
    this.#inboxPrefix = inboxPrefix(userOf(credentials));
    void this.#watchStatus();
  }

  static async open(options: NatsConnectionOptions): Promise<NatsClient> {
    const { role, timeoutMilliseconds: timeout = TIMEOUT_MS } = options;
    let connection: NatsConnection | undefined;
    try {
      connection = await connectFirst(await connectionOptions(options, timeout));
      const api = role === "gateway" ? await gatewayApi(connection, timeout) : JETSTREAM_API;
      if (role !== undefined) await requirePermissions(connection, role, api, userOf(options.credentials));
      const manager = await jetstreamManager(connection, { timeout, checkAPI: false, apiPrefix: api });
      return new NatsClient(connection, manager, api, options);
    } catch (error) {
      await connection?.close();
      const servers = options.servers.join(", ");
      throw backboneFailure(error, `connecting to NATS at ${servers}`);
    }
  }

  /** Calls JetStream. Converts errors that `work` does not handle into ours. */
  async manage<T>(doing: string, work: (manager: JetStreamManager) => Promise<T>): Promise<T> {
    this.#mustBeConnected(doing);
    try {
      return await work(this.#manager);
    } catch (error) {
      throw backboneFailure(error, doing);
    }
  }

  /** Sends a request and returns the first answer. Passes on errors of NATS unchanged. */
  request(
    subject: string,
    bytes: Uint8Array,
    options: { headers?: MsgHdrs; timeout?: number } = {},
  ): Promise<Msg> {
    this.#mustBeConnected(`asking ${subject}`);
    const { headers, timeout = this.timeoutMilliseconds } = options;
    return this.connection.request(
      subject,
      bytes,
      headers === undefined ? { timeout } : { timeout, headers },
    );
  }

  /** Returns a new subject at which only this user receives answers. */
  newInbox(): string {
    return createInbox(this.#inboxPrefix);
  }

  /**
   * Waits for the answer of a stream's leader, but not beyond the election of another one, which has not got the request.
   * Then it rejects with `ORT_BACKBONE_AWAY`: the outcome is unknown.
   */
  async fromLeader<Answer>(stream: string, answer: Promise<Answer>): Promise<Answer> {
    const startMs = performance.now();
    const interrupts = getOrAdd(this.#interrupts, stream, () => new Set());
    let interrupt: () => void = () => undefined;
    const elected = new Promise<never>((_, reject) => {
      interrupt = () => {
        // A younger request may well have gone to the new leader.
        if (performance.now() - startMs < ANSWERED_MS) return;
        reject(new OrthantError("ORT_BACKBONE_AWAY", `the stream ${stream} has another leader`));
      };
    });
    interrupts.add(interrupt);
    try {
      return await Promise.race([answer, elected]);
    } finally {
      interrupts.delete(interrupt);
      if (interrupts.size === 0) this.#interrupts.delete(stream);
      // Reported by the election already, or of no interest after the answer.
      answer.catch(() => undefined);
    }
  }

  /** Gives up the requests that wait for the former leader of a stream. */
  leaderElected(stream: string): void {
    for (const interrupt of this.#interrupts.get(stream) ?? []) interrupt();
  }

  /** Sends without a delivery guarantee. Drops the message if there is no connection. */
  publish(subject: string, bytes: Uint8Array, headers?: MsgHdrs): void {
    if (!this.isConnected) return;
    this.connection.publish(subject, bytes, headers === undefined ? {} : { headers });
  }

  /** Resolves when the connected server delivers to this subscription. */
  async subscribe(subject: string, listener: (message: Msg) => void): Promise<Subscription> {
    this.#mustBeConnected(`listening to ${subject}`);
    let isOver = false;
    let refusal: Error | undefined;
    const subscription = this.connection.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) refusal = error;
        else if (!isOver) listener(message);
      },
    });
    try {
      // The server rejects a subscription before it answers this.
      await this.connection.flush();
      if (refusal !== undefined) throw refusal;
    } catch (error) {
      throw backboneFailure(error, `listening to ${subject}`);
    }
    return {
      end() {
        isOver = true;
        subscription.unsubscribe();
      },
    };
  }

  get isConnected(): boolean {
    return this.#isConnected && !this.connection.isClosed();
  }

  onStatus(listener: (status: BackboneStatus) => void): Subscription {
    this.#listeners.add(listener);
    return { end: () => void this.#listeners.delete(listener) };
  }

  /** Reports to all status listeners that deliveries may have been lost. */
  reportLag(): void {
    this.#notify("lagging");
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.connection.close();
  }

  /** The client would queue a request and send it after reconnecting, when its caller has long given up. */
  #mustBeConnected(doing: string): void {
    if (this.connection.isClosed()) throw new OrthantError("ORT_CLOSED", `${doing}: the backbone was closed`);
    if (!this.#isConnected)
      throw new OrthantError("ORT_BACKBONE_AWAY", `${doing}: there is no connection to NATS`);
  }

  async #watchStatus(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === "disconnect") {
        this.#isConnected = false;
        this.#notify("disconnected");
      } else if (status.type === "reconnect") {
        this.#isConnected = true;
        this.#notify("connected");
        this.#notify("lagging");
      } else if (status.type === "slowConsumer") this.#notify("lagging");
    }
  }

  #notify(status: BackboneStatus): void {
    for (const listener of this.#listeners) listener(status);
  }
}

/** Error codes of JetStream. */
export const REFUSAL = {
  accountLimit: 10002,
  noPeers: 10005,
  noResources: 10023,
  streamsLimit: 10027,
  noMessage: 10037,
  storageLimit: 10047,
  streamExists: 10058,
  streamNotFound: 10059,
  wrongLastSequence: 10071,
  storeFailed: 10077,
  wrongLastSequenceUnknown: 10164,
} as const;

/** Returns the JetStream error code; `undefined` for other failures such as a missing answer. */
export function refusalOf(error: unknown): number | undefined {
  return error instanceof JetStreamApiError ? error.code : undefined;
}

/** Returns true if nothing listens at the subject of a request. */
export function isNoResponder(error: unknown): boolean {
  return (
    error instanceof errors.NoRespondersError || (error instanceof RequestError && error.isNoResponders())
  );
}

/** Converts any failure into ours. Unless NATS is known to have rejected a request, it may have succeeded. */
export function backboneFailure(error: unknown, doing: string): OrthantError {
  if (isOrthantError(error)) return error;
  if (error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError) {
    return new OrthantError("ORT_CLOSED", `${doing}: the backbone was closed`, {}, { cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  const refusal = [error, error instanceof Error ? error.cause : undefined].find(isRefusal);
  if (refusal !== undefined) {
    const remedy = "Add this to the permissions of the user in the configuration of NATS.";
    return new OrthantError(
      "ORT_BACKBONE_PERMISSION",
      `${doing}: ${message}. ${remedy}`,
      {},
      { cause: error },
    );
  }
  return new OrthantError("ORT_BACKBONE_AWAY", `${doing}: ${message}`, {}, { cause: error });
}

function isRefusal(error: unknown): boolean {
  return error instanceof errors.PermissionViolationError;
}

/** Returns the name of the user; `undefined` if the credentials do not contain it. */
function userOf(credentials: NatsCredentials | undefined): string | undefined {
  return credentials !== undefined && "user" in credentials ? credentials.user : undefined;
}

/**
 * Returns the prefix of a gateway's requests to JetStream. It is another one in an account of gateways, which has no
 * JetStream of its own.
 */
async function gatewayApi(connection: NatsConnection, timeout: number): Promise<string> {
  try {
    await connection.request(`${GATEWAY_API}.STREAM.INFO.${TABLE_STREAM}`, "", { timeout });
  } catch (error) {
    // Any other failure shows again later, with its cause.
    if (isNoResponder(error)) return JETSTREAM_API;
  }
  return GATEWAY_API;
}

async function connectionOptions(
  options: NatsConnectionOptions,
  timeout: number,
): Promise<NodeConnectionOptions> {
  const { servers, credentials, tls, name = "orthant" } = options;
  return {
    servers: [...servers],
    name,
    timeout,
    inboxPrefix: inboxPrefix(userOf(credentials)),
    maxReconnectAttempts: -1,
    reconnectDelayHandler: reconnectPace(),
    pingInterval: PING_MS,
    // Otherwise each request costs two stack traces, in case it fails.
    noAsyncTraces: true,
    // Retries after authorization errors: a changed server configuration may restore the rights.
    ignoreAuthErrorAbort: true,
    ...(tls === undefined ? {} : { tls }),
    ...(credentials === undefined ? {} : await proof(credentials)),
  };
}

async function proof(
  credentials: NatsCredentials,
): Promise<{ user: string; pass: string } | { token: string } | { authenticator: Authenticator }> {
  if ("user" in credentials) return { user: credentials.user, pass: credentials.password };
  if ("token" in credentials) return { token: credentials.token };
  return { authenticator: credsAuthenticator(await readFile(credentials.file)) };
}
