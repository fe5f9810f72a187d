import { setTimeout as delay } from "node:timers/promises";
import { Prng } from "@orthant/testkit";
import { times } from "./attack.ts";
import { hostileFrame } from "./hostile-frames.ts";
import { Prowler, type Target } from "./prowler.ts";

const BLOWS_MAX = 20;
const STRANGER_CHANCE = 0.2;
const BLOW_MS = 2;
/** Interval between connections of one network. */
const CONNECT_MS = 60;
const CLIENT_IDS = 1_000;

/** Sends damaged frames over real sockets. Returns how many it sent. */
export async function strikeOverSockets(
  targets: readonly Target[],
  frames: number,
  seed: number,
): Promise<number> {
  let sent = 0;
  await times(targets.length, async (index) => {
    const prng = new Prng(seed + index);
    const target = targets[index];
    while (target !== undefined && sent < frames) {
      const clientId = BigInt(prng.between(2, CLIENT_IDS));
      const prowler = prng.chance(STRANGER_CHANCE)
        ? await Prowler.connect(target)
        : await Prowler.join(target, { clientId });
      for (let blow = 0; blow < BLOWS_MAX && prowler.goodbye === undefined && sent < frames; blow++) {
        const { acknowledged } = prowler;
        const standing = { clientId, acknowledged, applied: 0, nextInterestId: 1, nextEditId: 1 };
        prowler.send(hostileFrame(standing, [], prng));
        sent++;
        await delay(BLOW_MS);
      }
      prowler.end();
      await delay(CONNECT_MS);
    }
  });
  return sent;
}
