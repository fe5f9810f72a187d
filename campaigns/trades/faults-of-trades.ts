import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { verifySave } from "@orthant/save";
import {
  CrashDisk,
  explorePowerCuts,
  FakeTime,
  type PowerCutOptions,
  type PowerCutReport,
  Prng,
} from "@orthant/testkit";
import { createWorld, openWorld, type World, type WorldOptions } from "@orthant/world";
import { checkMarket, hasMarket, Market, stir } from "./market.ts";

const CLIENTS = 50;
const TRADES_PER_CLIENT = 8;
/** Clients that trade while power cuts are recorded, and their trades. */
const [FEW_CLIENTS, FEW_TRADES] = [4, 4];
const QUIET: WorldOptions<3> = { time: new FakeTime(), autosave: false, dimensions: 3 };

type TradesDurability = "journal" | "snapshot";

/** Trades of a round without a power cut. */
export const TRADES_PER_ROUND: number = CLIENTS * TRADES_PER_CLIENT;

/** Has clients trade at the same time, and opens the world again as it is after a crash. Returns the fault, if any. */
export async function faultOfRush(seed: number): Promise<string | undefined> {
  const durability = seed % 2 === 0 ? "journal" : "snapshot";
  const prng = new Prng(seed);
  const disk = new MemoryDisk();
  const world = await createWorld(disk, { dimensions: 3 }, { ...QUIET, durability });
  try {
    const market = new Market(world, prng);
    await market.open();
    const client = async (): Promise<void> => {
      for (let trade = 0; trade < TRADES_PER_CLIENT; trade++) {
        await market.trade();
        await stir(world, prng);
        if (prng.below(20) === 0) await checkMarket(world, {}, market.begun);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    const { moved } = market;
    await checkMarket(world, moved, moved);
    if (durability === "snapshot") await world.whenDurable();
    const survivor = await openWorld(new MemoryDisk(disk.image()), QUIET);
    await checkMarket(survivor, moved, moved);
    await survivor.close();
    await world.close();
    return undefined;
  } catch (error) {
    return `${durability}, seed ${seed}: ${String(error)}`;
  }
}

/** Cuts the power at every operation of a few trades. Throws unless each survivor has all items, as often moved as promised. */
export async function cutPowerInTrades(
  durability: TradesDurability,
  seed: number,
  options: PowerCutOptions,
): Promise<PowerCutReport> {
  const recorder = new CrashDisk();
  const promises = await recordTrades(recorder, durability, seed);
  const promisedAt = (cutAt: number): Promised | undefined => promises.filter(({ at }) => at <= cutAt).at(-1);
  return explorePowerCuts(
    recorder,
    options,
    async ({ disk, cutAt }) => {
      const promised = promisedAt(cutAt);
      const world = await openWorld(disk, { ...QUIET, durability }).catch((error: unknown) => {
        if (promised === undefined) return undefined;
        throw error;
      });
      if (world === undefined) return;
      const isThere = await hasMarket(world);
      if (isThere) await checkMarket(world, promised?.moved ?? {}, endless);
      else if (promised !== undefined) throw new Error("the market is gone");
      await world.close();
      if (!isWhole(await verifySave(disk))) throw new Error("the save is not whole");
    },
    (cutAt) => `${durability} ${JSON.stringify(promisedAt(cutAt)?.moved)}`,
  );
}

/** What was promised when the disk had done `at` operations. */
interface Promised {
  readonly at: number;
  readonly moved: Readonly<Record<string, number>>;
}

const endless: Readonly<Record<string, number>> = new Proxy({}, { get: () => Number.POSITIVE_INFINITY });

async function recordTrades(
  recorder: CrashDisk,
  durability: TradesDurability,
  seed: number,
): Promise<readonly Promised[]> {
  const prng = new Prng(seed);
  const random = new Prng(1);
  const how = { ...QUIET, durability, random: () => BigInt(random.u32()) + 1n };
  const promises: Promised[] = [];
  const world: World<3> = await createWorld(recorder, { dimensions: 3 }, how);
  const market = new Market(world, prng);
  const promise = (moved: Promised["moved"]): void => void promises.push({ at: recorder.log.length, moved });
  await market.open();
  if (durability === "snapshot") await world.save();
  promise({});
  const client = async (): Promise<void> => {
    for (let trade = 0; trade < FEW_TRADES; trade++) {
      await market.trade();
      // Without a journal, a trade is as durable as the save after it.
      const moved = { ...market.moved };
      if (durability === "snapshot") {
        if (trade % 2 === 0) continue;
        await world.whenDurable();
      } else if (prng.below(5) === 0) await world.save();
      promise(moved);
    }
  };
  await Promise.all(Array.from({ length: FEW_CLIENTS }, client));
  await world.close();
  return promises.sort((one, other) => one.at - other.at);
}

/** Plays a rush with a journal and one without, and power cuts. Returns the first fault, if any. */
export async function faultOfTrades(seed: number): Promise<string | undefined> {
  const rush = (await faultOfRush(2 * seed)) ?? (await faultOfRush(2 * seed + 1));
  if (rush !== undefined) return rush;
  try {
    for (const durability of ["journal", "snapshot"] as const)
      await cutPowerInTrades(durability, seed, { disksPerCut: 2, seed });
    return undefined;
  } catch (error) {
    return String(error);
  }
}
