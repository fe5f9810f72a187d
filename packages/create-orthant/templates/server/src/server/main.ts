// Shares the world in the folder "world" until Ctrl-C.
import { endWith } from "./end.ts";
import { startServer } from "./game.ts";

const { HOST: host = "127.0.0.1", PORT = "8080" } = process.env;
const server = await startServer("world", { host, port: Number(PORT) }).catch(endWith);
console.log(`The world is at ${server.url}`);

for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => server.close());
