/**
 * A server that shares a world with many players.
 *
 * @module @orthant/server
 */

export {
  type AuthOptions,
  type AuthorizeHook,
  type AuthorizeRequest,
  anonymousPlayerId,
} from "./auth/authorization.ts";
export type { AuthorizedAccount, AuthorizeRejection } from "./auth/decision.ts";
export type { Revocation, RevocationTarget } from "./auth/revocations.ts";
export {
  issueToken,
  SECRET_BYTES_MIN,
  type SigningKey,
  type TokenClaims,
  tokenVerifier,
  type VerifiedClaims,
  type VerifyingKey,
} from "./auth/token.ts";
export { createServer } from "./create-server.ts";
export { isLoopback } from "./http/addresses.ts";
export type { RequestHandler } from "./http/game-requests.ts";
export type { MetricsOptions } from "./http/http-handler.ts";
export type { TlsOptions } from "./http/http-listener.ts";
export { DEFAULT_SERVER_LIMITS, type Limits, type ServerLimits } from "./http/limits.ts";
export type { PageOptions, PolicyDirective } from "./http/page-policy.ts";
export type { ClusterCounts, OwnedShard, OwnerCounts } from "./metrics/cluster-metrics.ts";
export type { MovementOptions } from "./movement.ts";
export { OrthantServer } from "./orthant-server.ts";
export { type OwnerEndpoints, serveOwnerEndpoints } from "./owner-endpoints.ts";
export { replayWire1InWorld, type Wire1ReplayOptions, type Wire1WorldReplay } from "./replay-wire1.ts";
export type {
  CloseOptions,
  GatewayWorld,
  OwnerEndpointsOptions,
  ServedWorld,
  ServerOptions,
} from "./server-options.ts";
export type {
  EditCompanion,
  EditDecision,
  GameRules,
  OnlinePlayer,
  PlayerEditEvent,
  PlayerInterestEvent,
  PlayerMoveEvent,
  PlayerOperationEvent,
  PlayerPose,
  RuleDecision,
  RuleRejection,
} from "./sync/game-rules.ts";
export type { OperationRoles } from "./sync/operation-options.ts";
export { syncWorldOf } from "./sync/sync-world-of.ts";
export type { Wire1Options } from "./wire1/wire1-listener.ts";
