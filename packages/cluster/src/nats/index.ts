/**
 * The cluster's journal and tables in NATS.
 *
 * @module @orthant/cluster/nats
 */

export type { NatsConnectionOptions, NatsCredentials } from "./nats-client.ts";
export { connectNats, type NatsEngineOptions } from "./nats-engine.ts";
export type { NatsRole } from "./roles.ts";
