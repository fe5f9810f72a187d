/**
 * Waits, and a limit of events per second, on a clock that is passed in.
 *
 * @module @orthant/core/time
 */

export { nextTurn, sleep, TokenBucket } from "./time/time-source.ts";
