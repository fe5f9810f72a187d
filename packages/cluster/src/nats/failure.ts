import { JetStreamApiError } from "@nats-io/jetstream";
import { errors, RequestError } from "@nats-io/transport-node";
import { isOrthantError, OrthantError } from "@orthant/core";

/** The numbers by which JetStream tells its refusals apart. */
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

/** The number of a refusal; `undefined` when something else happened, such as no answer. */
export function refusalOf(error: unknown): number | undefined {
  return error instanceof JetStreamApiError ? error.code : undefined;
}

/** Whether nobody listens where a question was sent. */
export function isNobody(error: unknown): boolean {
  return (
    error instanceof errors.NoRespondersError || (error instanceof RequestError && error.isNoResponders())
  );
}

/** Any failure as one of ours. What is not known to have been refused may have been done. */
export function engineFailure(error: unknown, doing: string): OrthantError {
  if (isOrthantError(error)) return error;
  if (error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError) {
    return new OrthantError("ORT_CLOSED", `${doing}: the engine was closed`, {}, { cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new OrthantError("ORT_ENGINE_AWAY", `${doing}: ${message}`, {}, { cause: error });
}
