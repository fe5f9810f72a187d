import { defineConfig } from "vite";

export default defineConfig({ build: { chunkSizeWarningLimit: 1_000 }, worker: { format: "es" } });
