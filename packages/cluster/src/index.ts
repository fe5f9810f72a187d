export * from "./engine/engine.ts";
export { MemoryEngine, type Partition } from "./memory/memory-engine.ts";
export { CALM_ENGINE, type EngineWeather, MemoryHub, type MemoryHubOptions } from "./memory/memory-hub.ts";
