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

/** Counts datagrams. Each one is either accepted, or dropped for exactly one reason. */
export class DatagramCounts {
  readonly #dropped: Record<Wire1Drop, number> = Object.fromEntries(
    WIRE1_DROPS.map((reason) => [reason, 0]),
  ) as Record<Wire1Drop, number>;
  #accepted = 0;

  /** Counts a datagram that had an effect. */
  accept(): void {
    this.#accepted++;
  }

  /** Counts a datagram that had no effect. */
  drop(reason: Wire1Drop): void {
    this.#dropped[reason]++;
  }

  /** Number of datagrams that had an effect. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Number of datagrams without effect, by reason. */
  get dropped(): Readonly<Record<Wire1Drop, number>> {
    return this.#dropped;
  }
}
