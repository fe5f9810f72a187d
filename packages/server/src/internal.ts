// For tests, campaigns and benchmarks; not published.
export { binaryMessage, JOINED_BYTES_MAX } from "./http/binary-message.ts";
export { REFUSALS } from "./http/connection-limiter.ts";
export { EDIT_OUTCOMES, GOODBYE_REASONS } from "./metrics/server-metrics.ts";
export { movementLimits } from "./movement.ts";
