export type * from "./engine/engine.ts";
