import { createHash } from "node:crypto";
import { appendFile, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Beside the sources and not in git: what was done on one machine. */
const RECORDS_FOLDER = ".campaigns";
const CODE_FOLDERS = ["packages", "campaigns"] as const;
const CODE_FILE = /\.ts$/;
const TEST_FILE = /\.test\.ts$/;
const NO_CODE = new Set(["node_modules", "dist", "test"]);

/** What all runs of a campaign together have done since the code changed. */
export interface CampaignRecord {
  readonly cases: number;
  /** Cases that were not equal to an earlier one, where the campaign counts them. */
  readonly distinct: number | undefined;
  readonly failures: number;
  readonly tookMs: number;
  /** Where the next run goes on. */
  readonly next: number;
}

const NO_RUNS: CampaignRecord = { cases: 0, distinct: undefined, failures: 0, tookMs: 0, next: 0 };

/**
 * The totals of all campaigns, and the disks that they have seen, for one state of the code. Other code begins with empty
 * records: what was true of the old code says nothing about the new one.
 */
export class CampaignRecords {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** The records for the code in a repository as it is now. */
  static async ofCodeIn(repository: string): Promise<CampaignRecords> {
    const folder = join(repository, RECORDS_FOLDER, await codeDigest(repository));
    await mkdir(folder, { recursive: true });
    return new CampaignRecords(folder);
  }

  /** The totals of a campaign. */
  async read(name: string): Promise<CampaignRecord> {
    const text = await this.#text(`${name}.json`);
    return text === undefined ? NO_RUNS : (JSON.parse(text) as CampaignRecord);
  }

  /** Replaces the totals of a campaign. */
  async write(name: string, record: CampaignRecord): Promise<void> {
    const path = join(this.#folder, `${name}.json`);
    await writeFile(`${path}.tmp`, `${JSON.stringify(record)}\n`);
    await rename(`${path}.tmp`, path);
  }

  /** The digests of the disks that a campaign has checked. */
  async readSeen(name: string): Promise<Set<string>> {
    const text = (await this.#text(`${name}.seen`)) ?? "";
    return new Set(text.split("\n").slice(0, -1));
  }

  /** Adds digests of disks that a campaign has checked. */
  async addSeen(name: string, digests: readonly string[]): Promise<void> {
    if (digests.length > 0) await appendFile(join(this.#folder, `${name}.seen`), `${digests.join("\n")}\n`);
  }

  /** The path for what a campaign prints. */
  logOf(name: string): string {
    return join(this.#folder, `${name}.log`);
  }

  async #text(name: string): Promise<string | undefined> {
    try {
      return await readFile(join(this.#folder, name), "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }
}

/** A short digest of all sources that campaigns run or are made of. */
async function codeDigest(repository: string): Promise<string> {
  const digest = createHash("sha256");
  for (const folder of CODE_FOLDERS) {
    for (const path of await codeFiles(join(repository, folder))) {
      digest
        .update(path.slice(repository.length))
        .update("\0")
        .update(await readFile(path))
        .update("\0");
    }
  }
  return digest.digest("hex").slice(0, 12);
}

async function codeFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return NO_CODE.has(entry.name) ? [] : codeFiles(path);
      return CODE_FILE.test(entry.name) && !TEST_FILE.test(entry.name) ? [path] : [];
    }),
  );
  return found.flat().sort();
}
