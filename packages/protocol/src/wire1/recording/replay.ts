import type { Wire1Address } from "../door/wire1-address.ts";
import { readWire1Recording } from "./recording-codec.ts";

/** What a recording is played to: a door and its host on a clock that stands still in between. */
export interface Wire1Stage {
  /** Moves the clock. */
  advance(ms: number): void;
  /** Gives a datagram to the door. */
  receive(from: Wire1Address, datagram: Uint8Array): void;
  /** Ticks the door and then the host, and waits until what they began has ended. */
  tick(): Promise<void>;
}

/** What was played. */
export interface Wire1Replay {
  readonly ticks: number;
  readonly datagrams: number;
  readonly durationMs: number;
}

/**
 * Plays a recording. Two stages that begin equal end equal, and as the recorded one did, if that one settled between
 * its ticks too and nothing else changed its world.
 */
export async function replayWire1(recording: Uint8Array, stage: Wire1Stage): Promise<Wire1Replay> {
  let [ticks, datagrams, durationMs] = [0, 0, 0];
  for (const event of readWire1Recording(recording)) {
    stage.advance(event.afterMs);
    durationMs += event.afterMs;
    if (event.kind === "tick") {
      ticks++;
      await stage.tick();
    } else {
      datagrams++;
      stage.receive({ address: `recorded ${event.address}`, port: event.port }, event.datagram);
    }
  }
  return { ticks, datagrams, durationMs };
}
