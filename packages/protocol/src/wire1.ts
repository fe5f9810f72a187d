/**
 * Wire v1, the earlier protocol over UDP: its client, its server, and recordings of its datagrams.
 *
 * @module @orthant/protocol/wire1
 */

export { Wire1Client, type Wire1ClientOptions, type Wire1Status } from "./wire1/client/wire1-client.ts";
export { WIRE1_DROPS, type Wire1Drop } from "./wire1/drop-counts.ts";
export { describeWire1Datagram } from "./wire1/message/describe-datagram.ts";
export type { Wire1Command } from "./wire1/message/wire1-command.ts";
export {
  readWire1Recording,
  replayWire1,
  WIRE1_RECORDING_BYTES_MAX,
  type Wire1Event,
  Wire1Recorder,
  type Wire1Replay,
  type Wire1ReplayTarget,
} from "./wire1/recording.ts";
export { type Wire1Counts, Wire1Server } from "./wire1/server/wire1-server.ts";
export type {
  Wire1Address,
  Wire1Events,
  Wire1GameCommand,
  Wire1PlayerActions,
  Wire1ServerOptions,
} from "./wire1/server/wire1-server-options.ts";
export { DEFAULT_WIRE1_LIMITS, type Wire1Limits } from "./wire1/wire1-limits.ts";
