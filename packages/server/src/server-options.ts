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

/** What a server asks of a world beside what it shares. */
export interface ServedWorld extends Pick<World, "shape" | "name" | "generation" | "failure" | "onFailure"> {
  save(): Promise<unknown>;
  close(): Promise<void>;
}

/** A world that others own, of which this server shows what its players look at: a gateway of a cluster. */
export interface GatewayWorld extends ServedWorld {
  readonly hostWorld: HostWorld;
}

/** How a world is served. docs/reference/server.md says more about each. */
export interface ServerOptions {
  /** The world, open for writing. It is saved when the server closes, and stays open unless `closeWorld` says so. */
  readonly world: World | GatewayWorld;
  /** Where to listen; 0, the default, takes a free port. */
  readonly port?: number;
  /** The address to listen at; this machine alone, `127.0.0.1`, unless given. */
  readonly host?: string;
  /**
   * Host names by which clients reach the server, such as `play.example.org`: requests for other names are refused.
   * Addresses, `localhost` and the machine's own name always count. Unless given, a certificate or a proxy decides.
   */
  readonly hosts?: readonly string[];
  /** When an edit is acknowledged: when it is made, which is the default, or when it would survive a crash. */
  readonly acknowledge?: "applied" | "durable";
  /** Time from one frame to a client to the next; 100 unless given. */
  readonly tickMs?: number;
  /** Serves `wss:` and `https:`; leave it to a proxy or give a certificate. */
  readonly tls?: TlsOptions;
  /** How many proxies of yours a request comes through; each adds to `X-Forwarded-For`. */
  readonly proxies?: number;
  /** Origins of web pages that may connect, or `*`; pages of the same host unless given. */
  readonly origins?: readonly string[];
  readonly auth?: AuthOptions;
  /** A game's own decision about who may come in; it has the last word. */
  readonly authorize?: AuthorizeHook;
  /** Players who must not be here and tokens that do not count, from the start; `server.revoke` adds to them. */
  readonly revoked?: readonly Revocation[];
  readonly limits?: Partial<Limits>;
  /** A game's say in what players do. */
  readonly rules?: HostRules;
  /** Where logs go, or how they are made; `false` for none. */
  readonly logger?: Logger | LoggerOptions | false;
  readonly metrics?: MetricsOptions;
  /** How the part of a cluster is doing that this process is, for `/metrics`. */
  readonly cluster?: () => ClusterCounts;
  /** A folder with a web page, which is served at `/` beside the world, such as the viewer's. */
  readonly page?: string | URL;
  /** Lets players of Wire v1 in, over UDP; nobody listens for them unless it is given. */
  readonly wire1?: Wire1Options;
  /** Time for ticks, limits and the expiry of tokens; a test gives a clock that it holds. */
  readonly clock?: Clock;
  /** Closes the world, too, when the server closes. */
  readonly closeWorld?: boolean;
}

/** Where numbers go and who may read them. */
export interface MetricsOptions {
  /** A registry of yours, which then also has this server's numbers. */
  readonly registry?: Registry;
  /** What a reader of `/metrics` has to send as `Authorization: Bearer`; unless given, only programs of this machine may read. */
  readonly bearer?: string;
  /** Lets every client that reaches the port read `/metrics`. */
  readonly public?: boolean;
}

/** How a server ends. */
export interface CloseOptions {
  /** Why, for the players. */
  readonly detail?: string;
  /** When clients should try again. */
  readonly retryAfterMs?: number;
}
