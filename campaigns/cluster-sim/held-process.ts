import type { Clock } from "@orthant/core";
import type { MemoryEngine, MemoryHub } from "@orthant/testkit/cluster";
import { HeldClock } from "./held-clock.ts";

/** One life of a process: its clock and connection, which pause and end together. */
export class HeldProcess {
  readonly clock: HeldClock;
  readonly engine: MemoryEngine;

  constructor(clock: Clock, hub: MemoryHub) {
    this.clock = new HeldClock(clock);
    this.engine = hub.connect();
  }

  /** Ends it at an arbitrary point. */
  kill(): void {
    this.engine.kill();
    this.clock.kill();
  }

  pause(): void {
    this.engine.pause();
    this.clock.pause();
  }

  resume(): void {
    this.clock.resume();
    this.engine.resume();
  }
}
