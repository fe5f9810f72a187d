import { parseArgs } from "node:util";
import { NATS_SERVER_FOLDER, natsServerVersion, obtainNatsServer } from "@orthant/testkit/nats";

// Usage: node build/tools/nats-server.js [--folder FOLDER]
// Prints the path of a NATS server that a cluster can run on, and fetches it first when there is none.

const { values } = parseArgs({ options: { folder: { type: "string", default: NATS_SERVER_FOLDER } } });
const path = obtainNatsServer(values.folder);
console.error(`nats-server ${natsServerVersion(path)}`);
console.log(path);
