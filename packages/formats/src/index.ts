export * from "./polychora/index.ts";
