/**
 * The cluster's journal and tables in NATS.
 *
 * @module @orthant/cluster/nats
 */

export { connectNats, type NatsBackboneOptions } from "./nats-backbone.ts";
export type { NatsConnectionOptions, NatsCredentials } from "./nats-client.ts";
export type { NatsRole } from "./roles.ts";
