// Runs the server, with the page if it was built. Usage: node dist/server/main.js FOLDER PORT
import { existsSync } from "node:fs";
import { startVillage } from "./server.ts";

const [folder = "my-village", port = "8080"] = process.argv.slice(2);
const page = new URL("../page/", import.meta.url);
const { server } = await startVillage(folder, { port: Number(port), ...(existsSync(page) && { page }) });
console.log(`playing at http://localhost:${server.port}/`);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => server.close());
