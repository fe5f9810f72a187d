import { createHash } from "node:crypto";
import { appendFile, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Folder for the records of one machine, beside the sources but not in git. */
const RECORDS_FOLDER = ".campaigns";
const CODE_FOLDERS = ["packages", "campaigns"] as const;
const CODE_FILE = /\.ts$/;
const TEST_FILE = /\.test\.ts$/;
const NO_CODE = new Set(["node_modules", "dist", "test"]);

/** Totals of all runs of a campaign since the code changed. */
export interface CampaignRecord {
  readonly cases: number;
  /** Cases that differ from all earlier ones, if the campaign counts them. */
  readonly distinct: number | undefined;
  readonly failures: number;
  readonly tookMs: number;
  /** Where the next run continues. */
  readonly next: number;
}

const NO_RUNS: CampaignRecord = { cases: 0, distinct: undefined, failures: 0, tookMs: 0, next: 0 };

/**
 * The totals of all campaigns, and the disks that they have checked, for one version of the code. Any change
 * to the code starts with empty records, because old results say nothing about new code.
 */
export class CampaignRecords {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the records for the present code in a repository. */
  static async ofCodeIn(repository: string): Promise<CampaignRecords> {
    const folder = join(repository, RECORDS_FOLDER, await codeDigest(repository));
    await mkdir(folder, { recursive: true });
    return new CampaignRecords(folder);
  }

  /** Returns the totals of a campaign. */
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

  /** Returns the digests of the disks that a campaign has checked. */
  async readSeen(name: string): Promise<Set<string>> {
    const text = (await this.#text(`${name}.seen`)) ?? "";
    return new Set(text.split("\n").slice(0, -1));
  }

  /** Adds digests of disks that a campaign has checked. */
  async addSeen(name: string, digests: readonly string[]): Promise<void> {
    if (digests.length > 0) await appendFile(join(this.#folder, `${name}.seen`), `${digests.join("\n")}\n`);
  }

  /** Returns the path of a campaign's log. */
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

/** Returns a short digest of all source files of the packages and campaigns. */
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
