import type { DataCodec, Dimensions, TimeSource } from "@orthant/core";
import type { GameMessages } from "@orthant/core/world";
import type { Precision } from "@orthant/protocol";
import type { EntityRates, SyncWorld } from "@orthant/protocol/server";
import type { World } from "@orthant/world";
import type { WorldEngine } from "@orthant/world/engine";
import type { Logger, LoggerOptions } from "pino";
import type { AuthOptions, AuthorizeHook } from "./auth/authorization.ts";
import type { Revocation } from "./auth/revocations.ts";
import type { RequestHandler } from "./http/game-requests.ts";
import type { MetricsOptions } from "./http/http-handler.ts";
import type { TlsOptions } from "./http/http-listener.ts";
import type { Limits } from "./http/limits.ts";
import type { PageOptions } from "./http/page-policy.ts";
import type { ClusterCounts, OwnerCounts } from "./metrics/cluster-metrics.ts";
import type { MovementOptions } from "./movement.ts";
import type { GameRules } from "./sync/game-rules.ts";
import type { OperationRoles } from "./sync/operation-options.ts";
import type { Wire1Options } from "./wire1/wire1-listener.ts";

/** The part of a world that a server needs apart from sharing it. */
export interface ServedWorld
  extends Pick<WorldEngine, "shape" | "name" | "generation" | "failure" | "onFailure"> {
  save(): Promise<unknown>;
  close(): Promise<void>;
}

/** A world whose shards other processes own: this server is a gateway, and holds only what its players see. */
export interface GatewayWorld extends ServedWorld {
  readonly syncWorld: SyncWorld;
}

/** Options of a server. docs/reference/server.md describes each. */
export interface ServerOptions<D extends Dimensions = Dimensions, Message = unknown, Sent = unknown> {
  /** The world, open for writing. The server saves it on closing, and closes it only with `closeWorld`. */
  readonly world: World<D> | WorldEngine | GatewayWorld;
  /** The port; 0, the default, picks a free one. */
  readonly port?: number;
  /** The address to listen at; `127.0.0.1`, this machine alone, by default. */
  readonly host?: string;
  /**
   * Host names by which clients reach the server, such as `play.example.org`: requests for other names are
   * refused. Addresses, `localhost` and the machine's own name always count. By default a certificate or a
   * proxy decides.
   */
  readonly hosts?: readonly string[];
  /** When an edit is acknowledged: when it is applied, the default, or when it would survive a crash. */
  readonly acknowledge?: "applied" | "durable";
  /** Whether players only look: all of them are viewers, and every edit is rejected. The game itself may still edit. */
  readonly readOnly?: boolean;
  /** Interval between frames to a client; 100 by default. */
  readonly tickMs?: number;
  /**
   * How finely clients see the poses of entities and of each other: steps in a voxel, 64 by default, and steps from 0 to 1
   * in a component of an orientation, 40 by default. Coarser poses take fewer bytes.
   */
  readonly precision?: Partial<Precision>;
  /**
   * How often clients are sent the pose of a moving entity at most, in times a second by its kind: `{ 7: 2 }`. Other kinds
   * are sent in every tick.
   */
  readonly entityRates?: EntityRates;
  /** Serves `wss:` and `https:`; leave it to a proxy or give a certificate. */
  readonly tls?: TlsOptions;
  /** Number of your proxies in front of the server; each adds to `X-Forwarded-For`. */
  readonly proxies?: number;
  /** Origins of web pages that may connect, or `*`; pages of the same host by default. */
  readonly origins?: readonly string[];
  readonly auth?: AuthOptions;
  /** A game's own decision about who may join; it has the last word. */
  readonly authorize?: AuthorizeHook;
  /** Players and tokens revoked from the start; `server.revoke` adds to them. */
  readonly revoked?: readonly Revocation[];
  readonly limits?: Partial<Limits>;
  /**
   * The roles whose players may do operations, such as `{ admin: {} }`, with limits that differ from the defaults. Others may
   * not; by default, none may.
   */
  readonly operations?: OperationRoles;
  /** A game's rules for what players do. */
  readonly rules?: GameRules<D, Message>;
  /** The messages of the game, the same as those of its clients; anything by default. Instead of `rules.message`. */
  readonly messages?: GameMessages<Message, Sent>;
  /** How players may move; anyhow by default. */
  readonly movement?: MovementOptions<D>;
  /**
   * Reads the data of voxels for the rules; edits with data that it cannot read are rejected. Default: that of the world.
   */
  readonly dataCodec?: DataCodec;
  /** Destination or settings of the log; `false` for none: only errors of the game's own functions are written, to stderr. */
  readonly logger?: Logger | LoggerOptions | false;
  readonly metrics?: MetricsOptions;
  /** State of this process as a part of a cluster, for `/metrics` and `/readyz`. */
  readonly cluster?: () => ClusterCounts;
  /** A folder with a web page to serve at `/`, such as the viewer's, alone or with what the page may do. */
  readonly page?: string | URL | PageOptions;
  /** The game's own answers to requests that are neither for the page nor for the server itself, such as a login. */
  readonly onRequest?: RequestHandler;
  /** Accepts players of Wire v1 over UDP; disabled by default. */
  readonly wire1?: Wire1Options;
  /** Time for ticks, limits and the expiry of tokens; tests supply a fake clock. */
  readonly time?: TimeSource;
  /** Closes the world, too, when the server closes. */
  readonly closeWorld?: boolean;
}

/** Options for the HTTP endpoints of a cluster owner, which accepts no players. */
export interface OwnerEndpointsOptions {
  /** The port; 0, the default, picks a free one. */
  readonly port?: number;
  /** The address to listen at; `127.0.0.1`, this machine alone, by default. */
  readonly host?: string;
  /** Host names by which programs reach it. */
  readonly hosts?: readonly string[];
  /** Serves `https:`. */
  readonly tls?: TlsOptions;
  /** Number of your proxies in front of it. */
  readonly proxies?: number;
  readonly metrics?: MetricsOptions;
  readonly counts: () => OwnerCounts;
  /** Returns why `/readyz` should fail; `undefined` when all is well. */
  readonly unready: () => string | undefined;
}

/** Options for closing a server. */
export interface CloseOptions {
  /** The reason, for the players. */
  readonly detail?: string;
  /** When clients should reconnect. */
  readonly retryAfterMs?: number;
}
