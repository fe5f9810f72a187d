import { createLogger, defineConfig } from "vite";

const port = process.env.PORT ?? "8080";

// A window that closes, or a server that restarts, ends connections: the page connects again by itself.
const logger = createLogger();
const { error } = logger;
logger.error = (text, options) => {
  if (!text.includes("ws proxy")) error(text, options);
};

export default defineConfig({
  customLogger: logger,
  build: { outDir: "dist/page", chunkSizeWarningLimit: 1_000 },
  // While you develop, the page comes from Vite, which passes its connection on to the server.
  server: { proxy: { "/world": { target: `ws://127.0.0.1:${port}`, ws: true } } },
});
