// Shares the world in the folder "world" until Ctrl-C, and serves the page in the folder that is given.
import { startServer } from "./game.ts";

const [page] = process.argv.slice(2);
const server = await startServer("world", Number(process.env.PORT ?? 8080), page);
console.log(`The world is at ${server.url}`);
if (page) console.log(`Play at http://localhost:${server.port}/`);

for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => server.close());
