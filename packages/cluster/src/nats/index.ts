export type { NatsConnectionOptions, NatsCredentials } from "./nats-client.ts";
export { connectNats, type NatsEngineOptions } from "./nats-engine.ts";
