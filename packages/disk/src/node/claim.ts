import { lstatSync, type Stats } from "node:fs";
import { lutimes, open, readdir, readFile, readlink, rename, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { OrthantError } from "@orthant/core";
import { systemRandomBits } from "@orthant/core/lattice";
import type { DiskLock } from "../port/disk.ts";
import { nameOf, parentOf } from "../port/path.ts";
import { findDirectory, inDirectory } from "./directory.ts";
import { systemCode, wrapErrors } from "./system-error.ts";

/** Interval at which a holder looks for rivals, and touches its claim for them. */
const BEAT_MS = 2_000;
/** How long a holder whose process cannot be checked may leave its claim untouched before it counts as dead. */
const SILENCE_MS = 15_000;
/** Attempts to take the lock: two processes that try at the same moment see each other and both back off. */
const ATTEMPTS = 4;
const STEP_BACK_MS_MAX = 60;

const TOKEN = /^[0-9a-f]{16}$/;
/** Follows the lock's name in the new name of a claim whose holder was ousted without being proven dead. */
const OUSTED = "~ousted~";

/** Locks that this thread holds or is about to take. */
const ownLocks = new Set<string>();

interface Claim extends ProcessIdentity {
  readonly token: string;
}

/** The directory of a lock. */
interface LockDirectory {
  /** Calls `use` with the path of an entry. Looks the directory up each time: it may have been moved meanwhile. */
  at<Result>(name: string, use: (file: string) => Promise<Result>): Promise<Result>;
  /** Returns an entry itself, not what it may link to; `undefined` if it is missing. */
  look(name: string): Stats | undefined;
  names(): Promise<readonly string[]>;
}

/**
 * Takes the lock `path` of the disk in `root`. Each process that wants it creates a claim: an empty file beside it whose name
 * identifies the process. It then checks the other claims, and backs off if one of them belongs to a living
 * process. The claim comes before the check, so of two rivals at least one sees the other. A dead process's
 * claim is removed; its name is never reused, so a living claim cannot be removed by mistake. The claim of a
 * silent process that may be alive is renamed instead: its holder finds it missing, and the new holder finds
 * that the lock is contested.
 */
export async function takeClaim(root: string, path: string): Promise<DiskLock> {
  const file = join(root, path);
  if (ownLocks.has(file)) throw locked(path, "this process has it open already");
  ownLocks.add(file);
  try {
    const own = await ownIdentity();
    const directory = directoryOf(root, path);
    const lock = nameOf(path);
    for (let attempt = 1; ; attempt++) {
      const token = systemRandomBits().toString(16).padStart(16, "0");
      const claim = claimName(lock, { ...own, token });
      await wrapErrors("lock", path, () =>
        directory.at(claim, async (target) => (await open(target, "wx")).close()),
      );
      try {
        const rival = await findRival(directory, lock, claim, own);
        if (rival === undefined) {
          const ousted = await oustedClaims(directory, lock);
          return holdClaim({
            directory,
            lock,
            path,
            claim,
            token,
            ousted,
            onRelease: () => ownLocks.delete(file),
          });
        }
        if (attempt === ATTEMPTS) throw locked(path, `process ${rival.pid} on ${rival.host} has it open`);
      } catch (error) {
        await removeQuietly(directory, claim);
        throw error;
      }
      await removeQuietly(directory, claim);
      await delay(Math.random() * STEP_BACK_MS_MAX);
    }
  } catch (error) {
    ownLocks.delete(file);
    throw error;
  }
}

function directoryOf(root: string, path: string): LockDirectory {
  const directory = parentOf(path);
  return {
    at: (name, use) => inDirectory(root, directory, (found) => use(join(found, name))),
    look(name) {
      const { path: found, close } = findDirectory(root, directory);
      try {
        return lstatSync(join(found, name), { throwIfNoEntry: false });
      } finally {
        close();
      }
    },
    names: () => inDirectory(root, directory, (found) => readdir(found)),
  };
}

/** Returns the first other claim whose process may be alive. Removes those of dead processes on the way. */
async function findRival(
  directory: LockDirectory,
  lock: string,
  claim: string,
  own: ProcessIdentity,
): Promise<Claim | undefined> {
  for (const name of await directory.names()) {
    const other = parseClaimName(lock, name);
    if (other === undefined || name === claim) continue;
    const liveness = await livenessOf(other, own);
    if (liveness === "alive" || (liveness === "unknown" && (await beats(directory, name)))) return other;
    if (liveness === "dead") await removeQuietly(directory, name);
    else await oust(directory, name, lock + OUSTED + other.token);
  }
  return undefined;
}

/** Takes the lock from a silent holder, and leaves a mark of it. */
async function oust(directory: LockDirectory, claim: string, mark: string): Promise<void> {
  try {
    await directory.at(claim, (file) => rename(file, join(dirname(file), mark)));
  } catch (error) {
    // It was released meanwhile.
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

/** Returns the marks of holders that lost the lock and may still be running. */
async function oustedClaims(directory: LockDirectory, lock: string): Promise<readonly string[]> {
  return (await directory.names()).filter((name) => name.startsWith(lock + OUSTED));
}

/** Whether a claim's file is touched within the time that a living holder needs. */
async function beats(directory: LockDirectory, claim: string): Promise<boolean> {
  const first = directory.look(claim)?.mtimeMs;
  for (let waited = 0; waited < SILENCE_MS; waited += BEAT_MS) {
    if (first === undefined) return false;
    await delay(BEAT_MS);
    const last = directory.look(claim)?.mtimeMs;
    if (last !== first) return last !== undefined;
  }
  return false;
}

/** Synchronous because every group of a journal asks: a few microseconds instead of fifty for the thread pool. */
function exists(directory: LockDirectory, claim: string): boolean {
  try {
    return directory.look(claim) !== undefined;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return false;
    throw error;
  }
}

/** Touches a held claim while another one is beside it. Without a rival a world at rest writes nothing. */
async function touchForRivals(directory: LockDirectory, lock: string, claim: string): Promise<void> {
  const names = await directory.names();
  if (!names.some((name) => name !== claim && parseClaimName(lock, name) !== undefined)) return;
  const now = new Date();
  await directory.at(claim, (file) => lutimes(file, now, now));
}

interface HeldClaim {
  readonly directory: LockDirectory;
  readonly lock: string;
  readonly path: string;
  readonly claim: string;
  readonly token: string;
  /** The marks of earlier holders that may still be running. */
  readonly ousted: readonly string[];
  readonly onRelease: () => void;
}

function holdClaim({ directory, lock, path, claim, token, ousted, onRelease }: HeldClaim): DiskLock {
  const beat = setInterval(() => {
    // A claim that is gone cannot be touched; requireHeld reports that.
    touchForRivals(directory, lock, claim).catch(() => undefined);
  }, BEAT_MS);
  beat.unref();
  let isReleased = false;
  return {
    token,
    isContested: ousted.length > 0,
    async requireHeld() {
      if (!(await wrapErrors("lock", path, async () => exists(directory, claim))))
        throw locked(path, "the lock was released or taken away");
    },
    async settle() {
      for (const mark of ousted) await removeQuietly(directory, mark);
    },
    async release() {
      if (isReleased) return;
      isReleased = true;
      clearInterval(beat);
      await removeQuietly(directory, claim);
      onRelease();
    },
  };
}

function claimName(lock: string, { host, boot, pidSpace, pid, start, token }: Claim): string {
  return [lock, boot, pidSpace, pid, start, host, token].join("~");
}

function parseClaimName(lock: string, name: string): Claim | undefined {
  // The host may contain a ~. Claims of older versions have no token after it.
  const [prefix, boot, pidSpace, pid, start, ...rest] = name.split("~");
  if (prefix !== lock || rest.length === 0) return undefined;
  if (boot === undefined || pidSpace === undefined || start === undefined) return undefined;
  if (pid === undefined || !/^[1-9]\d{0,9}$/.test(pid)) return undefined;
  const last = rest.at(-1) ?? "";
  const token = rest.length > 1 && TOKEN.test(last) ? last : "";
  const host = (token === "" ? rest : rest.slice(0, -1)).join("~");
  return { boot, pidSpace, pid: Number(pid), start, host, token };
}

async function removeQuietly(directory: LockDirectory, name: string): Promise<void> {
  // Already gone is fine; any other error shows up when the lock is taken next.
  await directory.at(name, unlink).catch(() => undefined);
}

function locked(path: string, detail: string): OrthantError {
  return new OrthantError("ORT_LOCKED", detail, { path, operation: "lock" });
}

/** Distinguishes a process from every other, even after a restart, in a container, or on another machine. */
interface ProcessIdentity {
  /** The machine's name, escaped for use in a file name. */
  readonly host: string;
  /** Changes whenever the machine's kernel starts. */
  readonly boot: string;
  /** Process ids are only comparable within one space. */
  readonly pidSpace: string;
  readonly pid: number;
  /** When the process started, to detect a reused process id. */
  readonly start: string;
}

/** `unknown` if this process cannot check: another machine or another container. */
type Liveness = "alive" | "dead" | "unknown";

// Without /proc these stay empty, and only host and process id count.
const UNTOLD = "0";

/** Returns the identity of this process. */
async function ownIdentity(): Promise<ProcessIdentity> {
  const boot = await told(readFile("/proc/sys/kernel/random/boot_id", "utf8"));
  const pidSpace = await told(readlink("/proc/self/ns/pid"));
  return {
    host: encodeURIComponent(hostname()),
    boot: boot.trim().slice(0, 8),
    pidSpace: pidSpace.replace(/\D/g, "") || UNTOLD,
    pid: process.pid,
    start: await startOf(process.pid),
  };
}

/** Whether another process still runs, as far as this one can tell. */
async function livenessOf(other: ProcessIdentity, own: ProcessIdentity): Promise<Liveness> {
  // Machines may share a host name, as containers and images do: another boot is another machine or a restart
  // of this one.
  if (other.boot !== own.boot || other.pidSpace !== own.pidSpace) return "unknown";
  if (own.boot === UNTOLD && other.host !== own.host) return "unknown";
  if (isRunning(other.pid) && (await startOf(other.pid)) === other.start) return "alive";
  // Without a boot id, another machine of the same name is indistinguishable from this one.
  return own.boot === UNTOLD ? "unknown" : "dead";
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, but belongs to another user.
    return systemCode(error) === "EPERM";
  }
}

async function startOf(pid: number): Promise<string> {
  const status = await told(readFile(`/proc/${pid}/stat`, "utf8"));
  // The second field is the command in parentheses and may contain spaces; the start time is the 20th after
  // it.
  return status.slice(status.lastIndexOf(")") + 2).split(" ")[19] ?? UNTOLD;
}

async function told(answer: Promise<string>): Promise<string> {
  try {
    return await answer;
  } catch {
    // No /proc, or the process is gone: callers treat the missing value as a value of its own.
    return UNTOLD;
  }
}
