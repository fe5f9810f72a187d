import type { ReadingStage } from "./message/wire1-message.ts";

/** Why a datagram had no effect: the stage at which reading failed, or the reason to ignore it. */
export type Wire1Drop =
  | ReadingStage
  | "direction"
  | "stranger"
  | "unproven"
  | "full"
  | "player"
  | "rate"
  | "repeated"
  | "reach"
  | "failure";

/** All reasons; docs/formats/wire-v1.md explains each. */
export const WIRE1_DROPS: readonly Wire1Drop[] = Object.keys({
  version: true,
  legacy: true,
  kind: true,
  length: true,
  control: true,
  command: true,
  unknownCommand: true,
  payload: true,
  chunks: true,
  direction: true,
  stranger: true,
  unproven: true,
  full: true,
  player: true,
  rate: true,
  repeated: true,
  reach: true,
  failure: true,
} satisfies Record<Wire1Drop, true>) as Wire1Drop[];

/** Counts of datagrams. Each one is either accepted, or dropped for exactly one reason. */
interface DatagramCounts {
  /** Datagrams that had an effect. */
  accepted: number;
  /** Datagrams without effect, by reason. */
  readonly dropped: Record<Wire1Drop, number>;
}

/** Returns counts that begin with 0. */
export function datagramCounts(): DatagramCounts {
  const none = WIRE1_DROPS.map((reason) => [reason, 0]);
  return { accepted: 0, dropped: Object.fromEntries(none) as Record<Wire1Drop, number> };
}

/** Counts a datagram, with the reason if it had no effect. */
export function countDatagram(counts: DatagramCounts, drop: Wire1Drop | undefined): void {
  if (drop === undefined) counts.accepted++;
  else counts.dropped[drop]++;
}
