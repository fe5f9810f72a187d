import { defineConfig } from "vite";

const server = "http://127.0.0.1:8080";
export default defineConfig({
  root: "page",
  build: { outDir: "../dist/page", emptyOutDir: true, chunkSizeWarningLimit: 1_500 },
  // While you develop, the page comes from Vite, which passes on what is for the server.
  server: { proxy: { "/world": { target: server, ws: true }, "/login": server } },
});
