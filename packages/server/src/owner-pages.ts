import { pino } from "pino";
import { Registry } from "prom-client";
import type { TlsOptions } from "./certificate.ts";
import { checkOwnerOptions } from "./check-options.ts";
import { type OwnerCounts, registerOwnerMetrics } from "./cluster-metrics.ts";
import { FrontDoor } from "./front-door.ts";
import { HostNames } from "./host-names.ts";
import { HttpListener } from "./http-listener.ts";
import { metricsRuleOf } from "./http-pages.ts";
import { PageEntrance } from "./page-entrance.ts";
import { RequestMetrics } from "./request-metrics.ts";
import { limitsOf } from "./server-limits.ts";
import type { MetricsOptions } from "./server-options.ts";
import { steadyClock } from "./steady-clock.ts";
import { urlHost } from "./url-host.ts";

/** Options for the pages of a cluster owner that accepts no players. */
export interface OwnerPagesOptions {
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

/** The pages of a process that owns shards and accepts no players. */
export interface OwnerPages {
  readonly port: number;
  /** Their address; on this machine, if it listens at all addresses. */
  readonly url: string;
  /** Stops listening. */
  close(): Promise<void>;
}

/** Serves only `/healthz`, `/readyz` and `/metrics`, as a server does. Throws `ORT_LISTEN` on failure. */
export async function serveOwnerPages(options: OwnerPagesOptions): Promise<OwnerPages> {
  checkOwnerOptions(options);
  const { port = 0, host = "127.0.0.1", hosts, proxies = 0, counts, unready } = options;
  const limits = limitsOf(undefined);
  const listener = await HttpListener.create(options.tls, limits);
  const metrics = new RequestMetrics(options.metrics?.registry ?? new Registry());
  registerOwnerMetrics(metrics.registry, counts);
  const log = pino({ enabled: false });
  const hostRule = { hosts, address: host, isSecure: listener.isSecure, proxies };
  const entrance = new PageEntrance(
    {
      listener,
      metrics,
      proxies,
      log,
      door: new FrontDoor(limits, steadyClock),
      files: new Map(),
      hostNames: new HostNames(hostRule, log, steadyClock),
      metricsRule: metricsRuleOf(options.metrics),
    },
    unready,
  );
  listener.server.on("upgrade", (_request, socket) => {
    socket.on("error", () => socket.destroy());
    entrance.refuse(socket, { status: 404, name: "path", detail: "an owner lets nobody in; gateways do" });
  });
  const taken = await listener.listen(port, host);
  const url = `${listener.isSecure ? "https" : "http"}://${urlHost(host)}:${taken}`;
  return { port: taken, url, close: () => listener.close() };
}
