import { defineConfig } from "vite";

const port = process.env.PORT ?? "8080";

export default defineConfig({
  build: { outDir: "dist/page", chunkSizeWarningLimit: 1_000 },
  // While you develop, the page comes from Vite, which passes its connection on to the server.
  server: { proxy: { "/world": { target: `ws://127.0.0.1:${port}`, ws: true } } },
});
