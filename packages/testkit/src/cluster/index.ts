export { HOSTILE_KINDS, hostileRequest } from "./hostile-requests.ts";
export { type MemoryBackbone, MemoryHub } from "./memory-backbone.ts";
export {
  type BackboneFaultPlan,
  type DeniedWrites,
  type MemoryHubOptions,
  type MemoryJournal,
  NO_ENGINE_FAULTS,
} from "./memory-state.ts";
export { pass, settled } from "./settled.ts";
