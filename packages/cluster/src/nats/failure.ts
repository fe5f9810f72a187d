import { JetStreamApiError } from "@nats-io/jetstream";
import { errors, RequestError } from "@nats-io/transport-node";
import { isOrthantError, OrthantError } from "@orthant/core";

/** Error codes of JetStream. */
export const REFUSAL = {
  accountLimit: 10002,
  noResources: 10023,
  noMessage: 10037,
  storageLimit: 10047,
  streamExists: 10058,
  streamNotFound: 10059,
  wrongLastSequence: 10071,
  storeFailed: 10077,
  wrongLastSequenceUnknown: 10164,
} as const;

/** Returns the JetStream error code; `undefined` for other failures such as a missing answer. */
export function refusalOf(error: unknown): number | undefined {
  return error instanceof JetStreamApiError ? error.code : undefined;
}

/** Returns true if nothing listens at the subject of a request. */
export function isNobody(error: unknown): boolean {
  return (
    error instanceof errors.NoRespondersError || (error instanceof RequestError && error.isNoResponders())
  );
}

/** Converts any failure into ours. Unless NATS is known to have rejected a request, it may have succeeded. */
export function engineFailure(error: unknown, doing: string): OrthantError {
  if (isOrthantError(error)) return error;
  if (error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError) {
    return new OrthantError("ORT_CLOSED", `${doing}: the engine was closed`, {}, { cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new OrthantError("ORT_ENGINE_AWAY", `${doing}: ${message}`, {}, { cause: error });
}
