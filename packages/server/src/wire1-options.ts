import type { Role, Wire1Events } from "@orthant/protocol";

/**
 * How players of Wire v1 join. The protocol has no authentication: any program that can send from an address
 * can act for it. So only this machine, or the listed addresses, may send.
 */
export interface Wire1Options {
  /** The UDP port; 0, the default, picks a free one. */
  readonly port?: number;
  /** The address to listen at; `127.0.0.1`, this machine alone, by default. Any other needs `allow`. */
  readonly host?: string;
  /** Allowed senders: addresses, or networks such as `10.0.0.0/24`. */
  readonly allow?: readonly string[];
  /** The role of its players; by default that of players without a token. Required if these may not join. */
  readonly role?: Role;
  /**
   * Receives the bytes of a recording, piece by piece: all datagrams from allowed senders, with their times.
   * `replayWire1` of `@orthant/protocol` replays it.
   */
  readonly record?: (bytes: Uint8Array) => void;
  /** Called with a player's command that concerns the game. */
  readonly onCommand?: Wire1Events["onCommand"];
}
