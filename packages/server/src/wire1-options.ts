import type { Role, Wire1Events } from "@orthant/protocol";

/**
 * How players of Wire v1 come in. The protocol proves nothing: whoever can send from an address can act for it. So only
 * this machine may, or the addresses that are listed.
 */
export interface Wire1Options {
  /** The UDP port; 0, the default, takes a free one. */
  readonly port?: number;
  /** The address to listen at; this machine alone, `127.0.0.1`, unless given. Any other one needs `allow`. */
  readonly host?: string;
  /** Who may send: addresses, or networks such as `10.0.0.0/24`. */
  readonly allow?: readonly string[];
  /** What players may do; the role of players without a token unless given. Needed where those may not come in. */
  readonly role?: Role;
  /**
   * Gets the bytes of a recording, piece by piece: all that comes from those who may send, and when. `replayWire1` of
   * `@orthant/protocol` plays it again.
   */
  readonly record?: (bytes: Uint8Array) => void;
  /** A command of a player that is the game's business. */
  readonly onCommand?: Wire1Events["onCommand"];
}
