import { pino } from "pino";
import { Registry } from "prom-client";
import { checkedOwnerOptions } from "./checked-options.ts";
import { urlHost } from "./http/addresses.ts";
import { ConnectionLimiter } from "./http/connection-limiter.ts";
import { hostCheck } from "./http/host-and-origin.ts";
import { HttpHandler, metricsRuleOf } from "./http/http-handler.ts";
import { HttpListener } from "./http/http-listener.ts";
import { limitsOf } from "./http/limits.ts";
import { registerOwnerMetrics, vacancy } from "./metrics/cluster-metrics.ts";
import { RequestMetrics } from "./metrics/server-metrics.ts";
import type { OwnerEndpointsOptions } from "./server-options.ts";
import { steadyTime } from "./sync/tick-timer.ts";

/** The HTTP endpoints of a process that owns shards and accepts no players. */
export interface OwnerEndpoints {
  readonly port: number;
  /** Their address; on this machine, if it listens at all addresses. */
  readonly url: string;
  /** Stops listening. */
  close(): Promise<void>;
}

/** Serves only `/healthz`, `/readyz` and `/metrics`, as a server does. Throws `ORT_LISTEN` on failure. */
export async function serveOwnerEndpoints(given: OwnerEndpointsOptions): Promise<OwnerEndpoints> {
  const options = checkedOwnerOptions(given);
  const { port = 0, host = "127.0.0.1", hosts, proxies = 0, counts, unready } = options;
  const limits = limitsOf(undefined);
  const listener = await HttpListener.create(options.tls, limits);
  const metrics = new RequestMetrics(options.metrics?.registry ?? new Registry());
  registerOwnerMetrics(metrics.registry, counts);
  const log = pino({ enabled: false });
  const hostRule = { hosts, address: host, isSecure: listener.isSecure, proxies };
  const handler = new HttpHandler(
    {
      listener,
      metrics,
      proxies,
      log,
      limiter: new ConnectionLimiter(limits, steadyTime),
      page: undefined,
      refusalOfHost: hostCheck(hostRule, log, steadyTime),
      metricsRule: metricsRuleOf(options.metrics),
    },
    () => unready() ?? vacancy(counts()),
  );
  listener.server.on("upgrade", (_request, socket) => {
    socket.on("error", () => socket.destroy());
    handler.refuse(socket, {
      status: 404,
      name: "path",
      detail: "an owner accepts no players; connect to a gateway",
    });
  });
  const taken = await listener.listen(port, host);
  const url = `${listener.isSecure ? "https" : "http"}://${urlHost(host)}:${taken}`;
  return { port: taken, url, close: () => listener.close() };
}
