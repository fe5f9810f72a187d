export { HOSTILE_KINDS, hostileRequest } from "./hostile-requests.ts";
export { type MemoryEngine, MemoryHub } from "./memory-engine.ts";
export {
  type DeniedWrites,
  type EngineFaultPlan,
  type MemoryHubOptions,
  type MemoryJournal,
  NO_ENGINE_FAULTS,
} from "./memory-state.ts";
export { pass, settled } from "./settled.ts";
