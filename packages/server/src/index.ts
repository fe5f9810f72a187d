export {
  type AuthOptions,
  type AuthorizeHook,
  type AuthorizeRequest,
  anonymousPlayerId,
} from "./authorization.ts";
export type { TlsOptions } from "./certificate.ts";
export { isLoopback } from "./client-address.ts";
export type { ClusterCounts, OwnedShard, OwnerCounts } from "./cluster-metrics.ts";
export { createServer } from "./create-server.ts";
export { REFUSALS, type RefusalName } from "./front-door.ts";
export { hostWorldOf } from "./host-world-of.ts";
export { EDIT_OUTCOMES, GOODBYE_REASONS } from "./metrics.ts";
export { OrthantServer } from "./orthant-server.ts";
export { type OwnerPages, type OwnerPagesOptions, serveOwnerPages } from "./owner-pages.ts";
export type { Revocation, RevocationTarget } from "./revocations.ts";
export { DEFAULT_SERVER_LIMITS, type Limits, type ServerLimits } from "./server-limits.ts";
export type {
  CloseOptions,
  GatewayWorld,
  MetricsOptions,
  ServedWorld,
  ServerOptions,
} from "./server-options.ts";
export {
  issueToken,
  SECRET_BYTES_MIN,
  type SigningKey,
  type TokenClaims,
  tokenVerifier,
  type VerifiedClaims,
  type VerifyingKey,
} from "./token.ts";
export type { Wire1Options } from "./wire1-options.ts";
