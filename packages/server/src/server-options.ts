import type { Clock } from "@orthant/core";
import type { HostRules, HostWorld } from "@orthant/protocol";
import type { World } from "@orthant/world";
import type { Logger, LoggerOptions } from "pino";
import type { Registry } from "prom-client";
import type { AuthOptions, AuthorizeHook } from "./authorization.ts";
import type { TlsOptions } from "./certificate.ts";
import type { ClusterCounts } from "./cluster-metrics.ts";
import type { Revocation } from "./revocations.ts";
import type { Limits } from "./server-limits.ts";
import type { Wire1Options } from "./wire1-options.ts";

/** The part of a world that a server needs apart from sharing it. */
export interface ServedWorld extends Pick<World, "shape" | "name" | "generation" | "failure" | "onFailure"> {
  save(): Promise<unknown>;
  close(): Promise<void>;
}

/** A world of other owners, of which this server shows what its players look at: a gateway of a cluster. */
export interface GatewayWorld extends ServedWorld {
  readonly hostWorld: HostWorld;
}

/** Options of a server. docs/reference/server.md describes each. */
export interface ServerOptions {
  /** The world, open for writing. The server saves it on closing, and closes it only with `closeWorld`. */
  readonly world: World | GatewayWorld;
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
  /** Interval between frames to a client; 100 by default. */
  readonly tickMs?: number;
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
  /** A game's rules for what players do. */
  readonly rules?: HostRules;
  /** Destination or settings of the log; `false` for none. */
  readonly logger?: Logger | LoggerOptions | false;
  readonly metrics?: MetricsOptions;
  /** State of this process as a part of a cluster, for `/metrics`. */
  readonly cluster?: () => ClusterCounts;
  /** A folder with a web page to serve at `/`, such as the viewer's. */
  readonly page?: string | URL;
  /** Accepts players of Wire v1 over UDP; disabled by default. */
  readonly wire1?: Wire1Options;
  /** Time for ticks, limits and the expiry of tokens; tests supply a fake clock. */
  readonly clock?: Clock;
  /** Closes the world, too, when the server closes. */
  readonly closeWorld?: boolean;
}

/** Destination of the metrics, and who may read them. */
export interface MetricsOptions {
  /** Your own registry, to which this server adds its metrics. */
  readonly registry?: Registry;
  /**
   * Token that a reader of `/metrics` must send as `Authorization: Bearer`; by default, only programs of this
   * machine may read.
   */
  readonly bearer?: string;
  /** Lets every client that reaches the port read `/metrics`. */
  readonly public?: boolean;
}

/** Options for closing a server. */
export interface CloseOptions {
  /** The reason, for the players. */
  readonly detail?: string;
  /** When clients should reconnect. */
  readonly retryAfterMs?: number;
}
