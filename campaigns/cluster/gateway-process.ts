import { ClusterGateway } from "@orthant/cluster";
import { systemTime } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { SyncServer } from "@orthant/protocol/server";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { accountOf } from "../sim/sim-plan.ts";
import { joinBackbone, readSettings, say } from "./member.ts";
import { untilAnswered } from "./waiting.ts";

// A gateway process, which serves players until it is killed.

const TICK_MS = 50;
const REPORT_MS = 1_000;

const settings = readSettings();
const { world, address, port } = settings;
const backbone = await joinBackbone(settings);
const gateway = await untilAnswered(() =>
  ClusterGateway.open({
    ...{ backbone, time: systemTime, generators: DEFAULT_GENERATORS, world },
    onBackboneAway: (isBackboneAway) => say({ kind: "backbone-away", isBackboneAway }),
  }),
);
const sync = new SyncServer({
  ...{ world: gateway.world, time: systemTime, acknowledge: "durable", tickMs: TICK_MS },
  authorize: async ({ token }) => accountOf(token),
  events: { onFailure: (error) => say({ kind: "trouble", detail: `the server failed: ${error}` }) },
});
const server = new WebSocketServer({ host: address, port, perMessageDeflate: false });
server.on("connection", (socket) => serve(socket));
server.on("listening", () => say({ kind: "ready" }));
setInterval(() => sync.tick(), TICK_MS);
setInterval(() => {
  say({ kind: "size", regions: gateway.report.regions, bytes: process.memoryUsage().rss });
}, REPORT_MS);

function serve(socket: WebSocket): void {
  const session = sync.connect({ send: (frame) => socket.send(frame), close: () => socket.close() });
  socket.on("message", (data: RawData) => {
    const bytes = data as Buffer;
    session.receive(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length));
  });
  socket.on("close", () => session.disconnected());
  // The close event follows and is handled.
  socket.on("error", () => undefined);
}
