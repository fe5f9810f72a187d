import { connect, type NatsConnection } from "@nats-io/transport-node";
import { HYPERCUBE_CHUNKS, type Position } from "@orthant/core";
import { ByteWriter } from "@orthant/core/bytes";
import { voxelOfIndex } from "@orthant/core/lattice";
import type { RegionPatch } from "@orthant/core/tree";
import { type ServerMessage, writeServerMessage } from "@orthant/protocol/internal";
import { Prng } from "@orthant/testkit";
import { TEST_CREDENTIALS } from "@orthant/testkit/nats";
import { WebSocket } from "ws";
import { endWithParent } from "../child.ts";
import { quantile } from "../figure.ts";
import { anyEditedVoxel, EDITED_BLOCKS } from "../rooms/changed-voxels.ts";
import { RoomMember } from "../rooms/room-member.ts";
import { RoomReader } from "../rooms/room-reader.ts";
import { type CrowdMember, chunksAround, Member } from "./member.ts";
import type { CrowdOrder, CrowdReport, Latency } from "./orders.ts";
import { PoseWatch, SentPoses } from "./pose-watch.ts";
import { SharedFrames } from "./shared-frames.ts";

// The process of the clients: a crowd that moves and edits, and the same number of bare sockets, or of bare
// listeners to NATS; or a crowd in a Colyseus room.

/** Size of a group, whose members see each other. */
const GROUP = 50;
/** Chunks between two groups: far enough not to see each other. */
const GROUP_DISTANCE_CHUNKS = 64;
const GROUP_RADIUS_CHUNKS = 2;
/** The chunk around which all members see every edit. */
const SHARED_CHUNK: Position = [0, 0, 0, 0];
const SHARED_RADIUS_CHUNKS = 3;
const STEP_MS = 100;
const CATCH_UP_MS = 10;
/** About as many bytes as the frame of a step has. */
const BARE_STEP = new Uint8Array(40);
/** Edits that are later than this, because this process paused, are left out. */
const CATCH_UP_MAX_MS = 500;
/** Longest time without a message of a member that does not move, as of a real client. */
const ACKNOWLEDGE_MS = 1_000;
/** Number of editors, each far below the limit of one client. */
const EDITORS = 10;
/** Number of members that report when they saw an edit. */
const OBSERVERS = 40;
const CONNECTS_AT_ONCE = 50;

const prng = new Prng(1);
const members: CrowdMember[] = [];
/** The members that can move. */
const walkers: Member[] = [];
const roomReader = new RoomReader();
const bare: WebSocket[] = [];
const listeners: NatsConnection[] = [];
const faults: string[] = [];
const sentAtMs = new Map<string, number>();
const sentPoses = new SentPoses();
const sharedFrames = new SharedFrames();
const writer = new ByteWriter();
let latenciesMs: number[] = [];
let poseAgesMs: number[] = [];
let bytesByKind = new Map<string, number>();
let observers = 0;
let frames = 0;
let frameBytes = 0;
let editsSeen = 0;
let editsMade = 0;
let bareMessages = 0;
let timers: NodeJS.Timeout[] = [];

endWithParent();
process.on("message", (order: CrowdOrder) => void handle(order));

async function handle(order: CrowdOrder): Promise<void> {
  switch (order.kind) {
    case "join":
      await joinInTurn(order.count, (index) => newMember(order.urls[index % order.urls.length] ?? "", index));
      break;
    case "joinRoom":
      await joinInTurn(order.count, (index) => newRoomMember(order.port, index));
      break;
    case "move":
      start(order.editsPerSecond, STEP_MS, (index) =>
        walkers[index]?.step((prng.fraction() - 0.5) * 0.5, (prng.fraction() - 0.5) * 0.5),
      );
      break;
    case "edit":
      start(order.editsPerSecond, ACKNOWLEDGE_MS, (index) => members[index]?.acknowledge());
      break;
    case "moveBare":
      start(0, STEP_MS, (index) => bare[index]?.send(BARE_STEP));
      break;
    case "reset":
      resetFigures();
      break;
    case "stop":
      for (const timer of timers) clearInterval(timer);
      timers = [setInterval(acknowledgeAll, ACKNOWLEDGE_MS)];
      break;
    case "stopReading":
      walkers.at(-1)?.stopReading();
      break;
    case "resumeReading":
      walkers.at(-1)?.resumeReading();
      break;
    case "joinBare":
      await joinBare(order.url, order.count);
      break;
    case "joinNats":
      await joinNats(order.servers, order.subject, order.count);
      break;
    case "report":
      break;
    case "leave":
      for (const member of members.splice(0)) member.close();
      walkers.length = 0;
      for (const socket of bare.splice(0)) socket.terminate();
      for (const connection of listeners.splice(0)) await connection.close();
  }
  process.send?.(report());
}

async function joinInTurn(count: number, newOne: (index: number) => CrowdMember): Promise<void> {
  timers.push(setInterval(acknowledgeAll, ACKNOWLEDGE_MS));
  while (members.length < count) {
    const batch: CrowdMember[] = [];
    for (let index = 0; index < CONNECTS_AT_ONCE && members.length < count; index++) {
      const member = newOne(members.length);
      members.push(member);
      batch.push(member);
    }
    // Few at a time, as people join: all of a batch are complete before the next one connects.
    await until(() => batch.every(({ isComplete }) => isComplete));
  }
}

function acknowledgeAll(): void {
  for (const member of members) member.acknowledge();
}

function newMember(url: string, index: number): Member {
  const group = 1 + Math.floor(index / GROUP);
  const chunk: Position = [group * GROUP_DISTANCE_CHUNKS, 0, 0, 0];
  const home: Position = [chunk[0] * 8 + prng.below(8), 4, prng.below(8), 4];
  const isObserver = isObserving(index);
  const watch = new PoseWatch(sentPoses, (ms) => poseAgesMs.push(ms));
  const member = new Member(
    url,
    home,
    [chunksAround(chunk, GROUP_RADIUS_CHUNKS), chunksAround(SHARED_CHUNK, SHARED_RADIUS_CHUNKS)],
    {
      onFrame: (bytes, messages) => {
        frames++;
        frameBytes += bytes;
        if (!isObserver) return;
        countBytes(bytes, messages);
        for (const message of messages) watch.take(message);
      },
      onStep: (playerId, position) => sentPoses.sent(playerId, position),
      onPatch: (patch) => countEdits(patch, isObserver),
      onFault: (detail) => addFault(index, detail),
    },
    // The crowd shares the processor with the server, so it decodes equal bytes once. An observer reads all of its own.
    isObserver ? undefined : sharedFrames,
  );
  walkers.push(member);
  return member;
}

function newRoomMember(port: number, index: number): RoomMember {
  const isObserver = isObserving(index);
  return new RoomMember(port, roomReader, {
    onFrame: (bytes) => {
      frames++;
      frameBytes += bytes;
    },
    onPatch: (edits) => (editsSeen += edits),
    ...(isObserver && { onEdit: sawEdit }),
    onFault: (detail) => addFault(index, detail),
  });
}

function isObserving(index: number): boolean {
  const isObserver = index % Math.max(1, Math.floor(1_000 / OBSERVERS)) === 0;
  if (isObserver) observers++;
  return isObserver;
}

function addFault(index: number, detail: string): void {
  if (faults.length < 20) faults.push(`member ${index}: ${detail}`);
}

/** Counts the bytes of a frame by the kind of message. */
function countBytes(frameBytes: number, messages: readonly ServerMessage[]): void {
  let rest = frameBytes;
  const count = (kind: string, bytes: number): void => {
    bytesByKind.set(kind, (bytesByKind.get(kind) ?? 0) + bytes);
  };
  for (const message of messages) {
    writer.clear();
    writeServerMessage(writer, message, HYPERCUBE_CHUNKS.volume);
    count(message.kind, writer.length);
    rest -= writer.length;
  }
  count("frames", rest);
}

/** Makes edits, and calls `step` with the numbers of members in turn, so that each has one every `stepMs`. */
function start(editsPerSecond: number, stepMs: number, step: (index: number) => void): void {
  for (const timer of timers) clearInterval(timer);
  const startMs = performance.now();
  let steps = 0;
  let edits = 0;
  // Does what is due, although the timer is late, so that the load is exact.
  const catchUp = (): void => {
    const passedMs = performance.now() - startMs;
    const dueSteps = Math.ceil((passedMs / stepMs) * members.length);
    // After a pause of this process, a member sends its latest step and not all that it missed, as a real client does:
    // the server disconnects one that sends too many frames at once.
    steps = Math.max(steps, dueSteps - members.length);
    // Spreads the steps of members over the interval, like those of people.
    for (; steps < dueSteps; steps++) step(steps % members.length);
    const dueEdits = Math.ceil((passedMs / 1_000) * editsPerSecond);
    // A server limits how much one player edits at once, and members do not repeat an edit that it refused.
    edits = Math.max(edits, dueEdits - Math.ceil((CATCH_UP_MAX_MS / 1_000) * editsPerSecond));
    for (; edits < dueEdits; edits++) makeEdit();
  };
  timers = [setInterval(catchUp, CATCH_UP_MS)];
}

function makeEdit(): void {
  const voxel = anyEditedVoxel(prng);
  sentAtMs.set(voxel.join(), performance.now());
  members[editsMade % EDITORS]?.edit(voxel, 1 + (editsMade % EDITED_BLOCKS));
  editsMade++;
}

function countEdits({ changes }: RegionPatch, isObserver: boolean): void {
  for (const { edits, leaves } of changes) {
    editsSeen += leaves.length;
    for (const { chunk, edits: voxels } of edits) {
      editsSeen += voxels.length;
      if (isObserver) for (const { index } of voxels) sawEdit(chunk, index);
    }
  }
}

function sawEdit(chunk: Position, index: number): void {
  const sentMs = sentAtMs.get(voxelOfIndex(HYPERCUBE_CHUNKS, chunk, index).join());
  if (sentMs !== undefined) latenciesMs.push(performance.now() - sentMs);
}

async function joinBare(url: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    socket.on("message", () => bareMessages++);
    bare.push(socket);
    if (index % CONNECTS_AT_ONCE === CONNECTS_AT_ONCE - 1)
      await until(() => socket.readyState === WebSocket.OPEN);
  }
  await until(() => bare.every(({ readyState }) => readyState === WebSocket.OPEN));
}

async function joinNats(servers: readonly string[], subject: string, count: number): Promise<void> {
  const { user, password: pass } = TEST_CREDENTIALS;
  while (listeners.length < count) {
    const server = servers[listeners.length % servers.length] ?? "";
    const connection = await connect({ servers: [server], user, pass, ignoreClusterUpdates: true });
    connection.subscribe(subject, {
      callback: () => {
        bareMessages++;
      },
    });
    await connection.flush();
    listeners.push(connection);
  }
}

function resetFigures(): void {
  latenciesMs = [];
  poseAgesMs = [];
  bytesByKind = new Map();
  sentAtMs.clear();
  frames = 0;
  frameBytes = 0;
  editsSeen = 0;
  editsMade = 0;
  bareMessages = 0;
}

function report(): CrowdReport {
  return {
    frames,
    frameBytes,
    editsSeen,
    editsMade,
    bareMessages,
    latencyMs: latencyOf(latenciesMs),
    poseMs: latencyOf(poseAgesMs),
    bytesByKind: Object.fromEntries(bytesByKind),
    observers,
    faults,
    cpuUs: process.cpuUsage().user + process.cpuUsage().system,
  };
}

function latencyOf(timesMs: readonly number[]): Latency {
  return { p50: quantile(timesMs, 0.5), p99: quantile(timesMs, 0.99), count: timesMs.length };
}

function until(condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!condition()) return;
      clearInterval(timer);
      resolve();
    }, 5);
  });
}
