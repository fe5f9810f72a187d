// Shares the world in the folder "world" until Ctrl-C.
import { startServer } from "./game.ts";

const server = await startServer("world", Number(process.env.PORT ?? 8080));
console.log(`The world is at ${server.url}`);

for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => server.close());
