import { readFile, stat } from "node:fs/promises";
import { isOrthantError, OrthantError } from "@orthant/core";
import { formatAmount } from "@orthant/formats";
import {
  describeWire1Datagram,
  readWire1Recording,
  WIRE1_RECORDING_BYTES_MAX,
  type Wire1Event,
} from "@orthant/protocol/wire1";
import type { Wire1WorldReplay } from "@orthant/server";
import { openWorldEngine } from "@orthant/world/engine";
import type { Command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { parseInteger } from "../command/parse.ts";
import { factLines, tableLines } from "../command/report.ts";
import { EXIT, UsageError } from "../command/usage.ts";
import { parseRole, ROLE_NAMES } from "../serve/credentials.ts";
import { requireNative } from "../world/found-world.ts";

const LIMIT_MAX = 1_000_000;

/** `orthant replay`. */
export const replayCommand: Command = {
  name: "replay",
  summary: "Show what Wire v1 players sent, or repeat it in a world",
  details: [
    "Reads a recording that orthant serve --wire1-record made. Without a world, lists what players sent, and when.",
    "With a world, repeats all of it there as fast as it can, and saves the world: give it a copy of the world as it",
    "was when the recording began. The same recording and world give the same result each time. A recording that is",
    "cut off or damaged is used up to there, and the exit code is 3. No server may have the world open.",
  ].join(" "),
  arguments: [
    { name: "<recording>", description: "the file of a recording" },
    { name: "[world]", description: "the folder of a world of tiles, which is changed" },
  ],
  usesGenerators: true,
  options: [
    { flags: "--limit <count>", description: "how many datagrams to list at most", default: "100" },
    {
      flags: "--role <role>",
      description: "what its players may do",
      default: "builder",
      choices: ROLE_NAMES,
    },
    { flags: "--dry-run", description: "read the recording, and write nothing" },
  ],
  examples: [
    "orthant replay today.ow1r",
    "orthant replay today.ow1r --limit 5000 --json",
    "orthant replay today.ow1r copy-of-this-morning",
  ],

  async run(args, context) {
    const [file, folder] = [args.at(0), args.at(1)];
    const limit = args.parsed("limit", parseInteger(0, LIMIT_MAX)) ?? 0;
    const role = args.parsed("role", parseRole) ?? "builder";
    const isDry = args.has("dryRun");
    if (isDry && folder === "")
      throw new UsageError("--dry-run needs a world: without one nothing is written");
    const recording = await readRecording(file);
    const summary = summaryOf(recording, limit);
    if (folder !== "") await requireNative(await context.openDisk(folder), folder);
    const replayed =
      folder === "" || isDry ? undefined : await replayIn(folder, intactEvents(recording), role, context);
    const { listed, ...counts } = summary;
    const world = folder === "" ? null : { world: folder, made: !isDry, ...replayed };
    context.printJson({ recording: file, bytes: recording.length, ...counts, replay: world, listed });
    if (folder === "") printList(summary, context);
    printFacts(summary, folder, replayed, context);
    const { damage } = summary;
    if (damage === null) return EXIT.ok;
    context.warn(`the recording ends before its time: ${damage.message}; what comes before was used`);
    return EXIT.loss;
  },
};

async function readRecording(file: string): Promise<Uint8Array> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined)
    throw new OrthantError("ORT_NOT_FOUND", `there is no file "${file}"; check how it is spelled`);
  if (found.isDirectory())
    throw new OrthantError("ORT_NOT_FOUND", `"${file}" is a folder, where the file of a recording is wanted`);
  if (found.size > WIRE1_RECORDING_BYTES_MAX) {
    const detail = `"${file}" has ${found.size} bytes; a recording has at most ${WIRE1_RECORDING_BYTES_MAX}`;
    throw new OrthantError("ORT_LIMIT", detail);
  }
  const bytes = await readFile(file);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** A datagram of a recording, as it is listed. */
interface Listed {
  /** Milliseconds since the recording began. */
  readonly atMs: number;
  readonly address: number;
  readonly port: number;
  readonly bytes: number;
  readonly text: string;
}

interface Summary {
  readonly durationMs: number;
  readonly ticks: number;
  readonly datagrams: number;
  readonly addresses: number;
  /** Why the recording cannot be read to its end. */
  readonly damage: { readonly code: string; readonly message: string; readonly offset: number | null } | null;
  readonly listed: readonly Listed[];
}

/** Yields the events before the damage, and passes it to `onDamage`. Throws if the file is not a recording at all. */
function* intactEvents(
  recording: Uint8Array,
  onDamage: (error: OrthantError) => void = () => undefined,
): Generator<Wire1Event, void> {
  let isRecording = false;
  try {
    for (const event of readWire1Recording(recording)) {
      isRecording = true;
      yield event;
    }
  } catch (error) {
    if (!isOrthantError(error) || (!isRecording && error.code !== "ORT_TRUNCATED")) throw error;
    onDamage(error);
  }
}

function summaryOf(recording: Uint8Array, limit: number): Summary {
  let [durationMs, ticks, datagrams, addresses] = [0, 0, 0, 0];
  let damage: Summary["damage"] = null;
  const listed: Listed[] = [];
  const events = intactEvents(recording, ({ code, message, context }) => {
    damage = { code, message, offset: context.offset ?? null };
  });
  for (const event of events) {
    durationMs += event.afterMs;
    if (event.kind === "tick") {
      ticks++;
      continue;
    }
    const { address, port, datagram } = event;
    datagrams++;
    addresses = Math.max(addresses, address + 1);
    if (listed.length >= limit) continue;
    const text = describeWire1Datagram(datagram);
    listed.push({ atMs: durationMs, address, port, bytes: datagram.length, text });
  }
  return { durationMs, ticks, datagrams, addresses, damage, listed };
}

/** Repeats events in a world and saves it. */
async function replayIn(
  folder: string,
  events: Iterable<Wire1Event>,
  role: ReturnType<typeof parseRole>,
  context: Context,
): Promise<Wire1WorldReplay & { readonly generation: number }> {
  const { replayWire1InWorld } = await import("@orthant/server");
  const world = await openWorldEngine(await context.openSteadyDisk(folder), {
    time: context.time,
    generators: context.generators,
  });
  let replayed: Wire1WorldReplay;
  try {
    replayed = await replayWire1InWorld(world, untilStopped(events, context.signal), { role });
  } finally {
    await world.close();
  }
  return { ...replayed, generation: world.generation };
}

/** Yields events until the user stops the command; then throws. */
function* untilStopped(events: Iterable<Wire1Event>, signal: AbortSignal): Generator<Wire1Event, void> {
  for (const event of events) {
    signal.throwIfAborted();
    yield event;
  }
}

function printList({ listed, datagrams }: Summary, context: Context): void {
  const rows = listed.map(({ atMs, address, port, text }) => [
    `${(atMs / 1000).toFixed(3)}`,
    `address ${address}`,
    `port ${port}`,
    text,
  ]);
  if (rows.length > 0) context.printAll([...tableLines([["seconds", "from", "", "sent"], ...rows]), ""]);
  const left = datagrams - listed.length;
  if (left > 0) context.note(`there are ${left} more; --limit shows them`);
}

function printFacts(
  { durationMs, ticks, datagrams, addresses }: Summary,
  folder: string,
  replayed: (Wire1WorldReplay & { readonly generation: number }) | undefined,
  context: Context,
): void {
  const dropped = Object.entries(replayed?.dropped ?? {}).filter(([, count]) => count > 0);
  context.printAll(
    factLines([
      ["duration", `${(durationMs / 1000).toFixed(3)} s, ${formatAmount(ticks, "tick")}`],
      [
        "sent",
        `${formatAmount(datagrams, "datagram")} from ${formatAmount(addresses, "address", "addresses")}`,
      ],
      ["world", folder === "" ? undefined : folder],
      ["taken", replayed && formatAmount(replayed.taken, "datagram")],
      ["dropped", replayed && (dropped.map(([why, count]) => `${count} ${why}`).join(", ") || "none")],
      ["saved", replayed && `generation ${replayed.generation}`],
    ]),
  );
}
