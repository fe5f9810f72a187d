import type { Wire1Address } from "../server/wire1-address.ts";
import { readWire1Recording } from "./recording-codec.ts";

/** The target of a replay: a Wire v1 server and its host, on a clock that stands still between events. */
export interface Wire1ReplayTarget {
  /** Advances the clock. */
  advance(ms: number): void;
  /** Passes a datagram to the server. */
  receive(from: Wire1Address, datagram: Uint8Array): void;
  /** Ticks the Wire v1 server, then the host, and waits until their work is done. */
  tick(): Promise<void>;
}

/** Statistics of a replay. */
export interface Wire1Replay {
  readonly ticks: number;
  readonly datagrams: number;
  readonly durationMs: number;
}

/**
 * Replays a recording. Two stages that start equal end equal. They also match the recorded server if it, too,
 * finished its work between ticks and nothing else changed its world.
 */
export async function replayWire1(recording: Uint8Array, stage: Wire1ReplayTarget): Promise<Wire1Replay> {
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
