import type { ReadingStage } from "../message/datagram-codec.ts";

/** Why a datagram had no effect: where it could not be read any further, or why nobody listens to it. */
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

/** Every reason; docs/formats/wire-v1.md says more about each. */
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

/** Counts datagrams: each that came was taken, or is dropped for exactly one reason. */
export class DropCounts {
  readonly #dropped: Record<Wire1Drop, number> = Object.fromEntries(
    WIRE1_DROPS.map((reason) => [reason, 0]),
  ) as Record<Wire1Drop, number>;
  #taken = 0;

  /** A datagram had its effect. */
  take(): void {
    this.#taken++;
  }

  /** A datagram had none. */
  drop(reason: Wire1Drop): void {
    this.#dropped[reason]++;
  }

  /** Datagrams that had their effect. */
  get taken(): number {
    return this.#taken;
  }

  /** Datagrams that had none, by reason. */
  get dropped(): Readonly<Record<Wire1Drop, number>> {
    return this.#dropped;
  }
}
