import { systemTime, type TimeSource } from "@orthant/core";
import {
  callback,
  checkedOptions,
  choiceOf,
  type OptionTable,
  requireBytes,
  requireChoice,
  requireObject,
  requireWhole,
  wrongArgument,
} from "@orthant/core/arguments";
import { U16_MAX } from "@orthant/core/bytes";
import { nextTurn } from "@orthant/core/time";
import type { Role } from "@orthant/protocol";
import { type Account, DEFAULT_SYNC_LIMITS, SyncServer, type SyncWorld } from "@orthant/protocol/server";
import {
  DEFAULT_WIRE1_LIMITS,
  readWire1Recording,
  replayWire1,
  type Wire1Counts,
  type Wire1Event,
  type Wire1Replay,
  Wire1Server,
} from "@orthant/protocol/wire1";
import type { WorldEngine } from "@orthant/world/engine";
import { ROLES } from "./auth/token.ts";
import { syncWorldOf } from "./sync/sync-world-of.ts";
import { type Wire1Options, wire1Account } from "./wire1/wire1-listener.ts";

/** Options of {@link replayWire1InWorld}. */
export interface Wire1ReplayOptions extends Pick<Wire1Options, "onCommand"> {
  /** The role that the players had; `builder` by default. */
  readonly role?: Role;
}

/** Result of {@link replayWire1InWorld}. */
export interface Wire1WorldReplay extends Wire1Replay {
  /** Datagrams that had an effect. */
  readonly taken: number;
  /** Datagrams without an effect, by reason. */
  readonly dropped: Wire1Counts["dropped"];
}

/** Interval between ticks as the server announces it; the recording has the ticks themselves. */
const TICK_MS = 100;
const REPLAY_OPTIONS: OptionTable<Wire1ReplayOptions> = {
  role: choiceOf(...ROLES),
  onCommand: callback,
};

/**
 * Replays a recording of Wire v1 into a world, without a socket and as fast as it can: edits, rates and sessions are
 * those of a server with default limits and no rules, at the recorded times. Begin with the world as it was when the
 * recording began. The caller saves the world.
 */
export async function replayWire1InWorld(
  world: WorldEngine,
  recording: Uint8Array | Iterable<Wire1Event>,
  options: Wire1ReplayOptions = {},
): Promise<Wire1WorldReplay> {
  const { role = "builder", onCommand } = checkedOptions("the options", options, REPLAY_OPTIONS);
  if (typeof (recording as Partial<Iterable<unknown>> | null | undefined)?.[Symbol.iterator] !== "function")
    throw wrongArgument("recording", recording, "it is a Uint8Array, or a list of events");
  const { tracked, whenDone } = trackPromises(await syncWorldOf(world));
  let nowMs = 0;
  // Stands still between events. Only rules of a game set timers, and there are none.
  const time: TimeSource = { ...systemTime, nowMs: () => nowMs };
  const expected = new Map<bigint, Account>();
  const limits = { ...DEFAULT_SYNC_LIMITS, ...DEFAULT_WIRE1_LIMITS };
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  const sync = new SyncServer({
    world: tracked,
    time,
    limits,
    tickMs: TICK_MS,
    acknowledge: "applied",
    // Only players of the recording are here, and they are expected.
    authorize: async ({ clientId }) => expected.get(clientId) ?? wire1Account(0, "viewer"),
    events: { onFailure },
  });
  const server = new Wire1Server({
    world: tracked,
    sync,
    expected,
    time,
    limits,
    accountOf: (playerId) => wire1Account(playerId, role),
    send: () => undefined,
    events: { ...(onCommand && { onCommand }), onFailure },
  });
  try {
    const replay = await replayWire1(checkedEvents(recording), {
      advance(ms) {
        nowMs += ms;
      },
      receive: (from, datagram) => server.receive(from, datagram),
      async tick() {
        server.tick();
        sync.tick();
        await whenDone();
        if (failures.length > 0) throw failures[0];
      },
    });
    await whenDone();
    const { taken, dropped } = server.counts;
    return { ...replay, taken, dropped };
  } finally {
    server.close();
    await sync.shutdown("the recording ended", 0);
  }
}

/** Yields the events of a recording, and checks those that a program made itself. */
function* checkedEvents(recording: Uint8Array | Iterable<Wire1Event>): Generator<Wire1Event, void> {
  if (recording instanceof Uint8Array) return yield* readWire1Recording(recording);
  for (const event of recording) {
    requireObject("event", event, "it is one of a recording");
    requireWhole("afterMs", event.afterMs, 0, Number.MAX_SAFE_INTEGER);
    requireChoice("kind", event.kind, ["tick", "datagram"]);
    if (event.kind === "datagram") {
      requireWhole("address", event.address, 0, Number.MAX_SAFE_INTEGER);
      requireWhole("port", event.port, 0, U16_MAX);
      requireBytes("datagram", event.datagram);
    }
    yield event;
  }
}

/** Returns a world that behaves like the given one, and a function that waits until all of its promises settled. */
function trackPromises(world: SyncWorld): { readonly tracked: SyncWorld; whenDone(): Promise<void> } {
  const pending = new Set<Promise<unknown>>();
  const tracked = new Proxy(world, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, target, args);
        if (result instanceof Promise) {
          const settled = (): boolean => pending.delete(result);
          pending.add(result);
          result.then(settled, settled);
        }
        return result;
      };
    },
  });
  const whenDone = async (): Promise<void> => {
    // What waited for a promise may start the next one, a turn later.
    do await nextTurn();
    while (pending.size > 0);
  };
  return { tracked, whenDone };
}
