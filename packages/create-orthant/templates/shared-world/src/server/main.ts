// Shares the world in the folder "world" until Ctrl-C, and serves the page in the folder that is given.
import { endWith } from "./end.ts";
import { startServer } from "./game.ts";

const { HOST: host = "127.0.0.1", PORT = "8080" } = process.env;
const [page] = process.argv.slice(2);
const options = { host, port: Number(PORT), ...(page && { page }) };
const server = await startServer("world", options).catch(endWith);
console.log(`The world is at ${server.url}`);
if (page) console.log(`Play at http://localhost:${server.port}/`);

for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => server.close());
