import type { Wire1Control } from "../message/wire1-message.ts";
import type { SendSchedule } from "./send-schedule.ts";
import type { TileFeed } from "./tile-feed.ts";
import type { Wire1Address } from "./wire1-address.ts";
import type { Wire1ServerOptions } from "./wire1-server-options.ts";
import type { Wire1Session } from "./wire1-session.ts";

/** State shared by all Wire v1 sessions. */
export interface Wire1Context {
  readonly options: Wire1ServerOptions;
  readonly feed: TileFeed;
  readonly schedule: SendSchedule;
  /** The session of each player. */
  readonly players: Map<number, Wire1Session>;
  readonly say: (to: Wire1Address, control: Wire1Control) => void;
}
