export { connectNats, type NatsEngineOptions } from "./nats-engine.ts";
export type { NatsCredentials, NatsLinkOptions } from "./nats-link.ts";
