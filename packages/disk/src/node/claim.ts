import { open, readdir, stat, unlink, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { OrthantError } from "@orthant/core";
import type { DiskLock } from "../port/disk.ts";
import { livenessOf, ownIdentity, type ProcessIdentity } from "./process-identity.ts";
import { atBorder, systemCode } from "./system-error.ts";

/** How often a holder shows that it lives. */
const BEAT_MS = 2_000;
/** How long a holder that cannot be looked at must be silent before it is taken for dead. */
const SILENCE_MS = 15_000;
/** Two that try at the same moment see each other and both step back; they try again this often. */
const ATTEMPTS = 4;
const STEP_BACK_MS_MAX = 60;

/**
 * Takes the lock at `file`. Each process that wants it makes a claim: an empty file beside it whose name says
 * who it is. It then looks at the other claims, and steps back if one of them belongs to a living process. The
 * claim comes before the look, so of two rivals at least one sees the other. A dead process's claim is removed;
 * its name is never used again, so nobody can remove a living one by mistake.
 */
export async function takeClaim(file: string, path: string): Promise<DiskLock> {
  const own = await ownIdentity();
  const claim = join(dirname(file), claimName(basename(file), own));
  for (let attempt = 1; ; attempt++) {
    await makeClaim(claim, path);
    try {
      const rival = await findRival(file, claim, own);
      if (rival === undefined) return holdClaim(claim, path);
      if (attempt === ATTEMPTS) throw locked(path, `process ${rival.pid} on ${rival.host} has it open`);
    } catch (error) {
      await removeQuietly(claim);
      throw error;
    }
    await removeQuietly(claim);
    await delay(Math.random() * STEP_BACK_MS_MAX);
  }
}

async function makeClaim(claim: string, path: string): Promise<void> {
  try {
    await (await open(claim, "wx")).close();
  } catch (error) {
    if (systemCode(error) === "EEXIST") throw locked(path, "this process has it open already");
    await atBorder("lock", path, () => Promise.reject(error));
  }
}

/** The first other claim whose process may be alive. Removes the claims of dead processes on the way. */
async function findRival(
  file: string,
  claim: string,
  own: ProcessIdentity,
): Promise<ProcessIdentity | undefined> {
  const folder = dirname(file);
  for (const name of await readdir(folder)) {
    const other = parseClaimName(basename(file), name);
    const otherClaim = join(folder, name);
    if (other === undefined || otherClaim === claim) continue;
    const liveness = await livenessOf(other, own);
    if (liveness === "alive" || (liveness === "unknown" && (await beats(otherClaim)))) return other;
    await removeQuietly(otherClaim);
  }
  return undefined;
}

/** Whether a claim's file is touched, or removed by its owner, within the time that a living holder needs. */
async function beats(claim: string): Promise<boolean> {
  const first = await lastBeat(claim);
  for (let waited = 0; waited < SILENCE_MS; waited += BEAT_MS) {
    if (first === undefined) return false;
    await delay(BEAT_MS);
    if ((await lastBeat(claim)) !== first) return (await lastBeat(claim)) !== undefined;
  }
  return false;
}

async function lastBeat(claim: string): Promise<number | undefined> {
  try {
    return (await stat(claim)).mtimeMs;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function holdClaim(claim: string, path: string): DiskLock {
  const beat = setInterval(() => {
    const now = new Date();
    // A claim that is gone cannot be touched; requireHeld is what reports it.
    utimes(claim, now, now).catch(() => undefined);
  }, BEAT_MS);
  beat.unref();
  return {
    async requireHeld() {
      if ((await lastBeat(claim)) === undefined) throw locked(path, "the lock was released or taken away");
    },
    async release() {
      clearInterval(beat);
      await removeQuietly(claim);
    },
  };
}

function claimName(lock: string, { host, boot, pidSpace, pid, start }: ProcessIdentity): string {
  return [lock, boot, pidSpace, pid, start, host].join("~");
}

function parseClaimName(lock: string, name: string): ProcessIdentity | undefined {
  // The host comes last: its name may have a ~ of its own.
  const [prefix, boot, pidSpace, pid, start, ...host] = name.split("~");
  if (prefix !== lock || host.length === 0) return undefined;
  if (boot === undefined || pidSpace === undefined || start === undefined) return undefined;
  if (pid === undefined || !/^[1-9]\d{0,9}$/.test(pid)) return undefined;
  return { boot, pidSpace, pid: Number(pid), start, host: host.join("~") };
}

async function removeQuietly(claim: string): Promise<void> {
  // Gone already is what we want; anything else shows when the lock is taken next.
  await unlink(claim).catch(() => undefined);
}

function locked(path: string, detail: string): OrthantError {
  return new OrthantError("ORT_LOCKED", detail, { path, operation: "lock" });
}
