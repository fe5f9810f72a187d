import { deepEqual, equal, ok } from "node:assert/strict";
import { type ErrorCode, HYPERCUBE_CHUNKS, isOrthantError, type Position } from "@orthant/core";
import { boxContains } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { openFlatSave } from "@orthant/formats";
import { applyFlatRepair, planFlatRepair, verifyFlatSave } from "@orthant/formats/internal";
import { chunkOfEntity, type StoredEntity, type StoredPlayer } from "@orthant/save";
import { type GoldenRow, type GoldenSuite, row } from "../suite.ts";
import { copySave, FOLDER, readEverything } from "./polychora-content.ts";

/** Our error for each damaged save, and the file that it names. The original loads 09j, 09k, 09m and 09n. */
const DAMAGED_SAVES: readonly (readonly [save: string, code: ErrorCode, path: string, offset?: number])[] = [
  ["09a-corrupt-blob", "ORT_CHECKSUM", "data/dt-000001.v4dt", 12],
  ["09b-corrupt-index", "ORT_CHECKSUM", "index/ix-main.g0000000000000001.v4ix", 16],
  ["09c-corrupt-players", "ORT_CHECKSUM", "players.g0000000000000001.v4p", 16],
  ["09d-global-magic", "ORT_MAGIC", "global.g0000000000000001.v4g"],
  ["09e-missing-global", "ORT_NOT_FOUND", "global.g0000000000000001.v4g"],
  ["09f-truncated-data", "ORT_TRUNCATED", "data/dt-000001.v4dt"],
  ["09g-manifest-version", "ORT_VERSION", "manifest.json"],
  ["09h-manifest-garbage", "ORT_MANIFEST", "manifest.json"],
  ["09i-record-magic", "ORT_MAGIC", "data/dt-000001.v4dt", 12],
  ["09j-data-header-id", "ORT_RECORD", "data/dt-000001.v4dt", 8],
  ["09k-data-header-version", "ORT_VERSION", "data/dt-000001.v4dt", 4],
  ["09l-payload-version", "ORT_VERSION", "players.g0000000000000001.v4p", 4],
  ["09m-trailing-bytes-players", "ORT_TRAILING_BYTES", "players.g0000000000000001.v4p", 461],
  ["09n-index-generation-mismatch", "ORT_GENERATION", "index/ix-main.g0000000000000001.v4ix"],
];

/** The fourteen damaged saves: rejected, reported and repaired. */
export const damagedSaveSuites: readonly GoldenSuite[] = DAMAGED_SAVES.map(([name, code, path, offset]) => ({
  file: `${FOLDER}/${name}/expected.json`,
  check: async () => [
    await checkRefusal(name, code, path, offset),
    await checkVerdict(name, path),
    ...(await checkRepair(name)),
  ],
}));

async function checkRefusal(
  name: string,
  code: ErrorCode,
  path: string,
  offset?: number,
): Promise<GoldenRow> {
  const disk = await copySave(name);
  const error = await openFlatSave(disk)
    .then(readEverything)
    .then(
      () => "no error",
      (thrown: unknown) => thrown,
    );
  return row("is refused", () => {
    ok(isOrthantError(error), String(error));
    equal(error.code, code);
    equal(error.context.path, path);
    if (offset !== undefined) equal(error.context.offset, offset);
  });
}

async function checkVerdict(name: string, path: string): Promise<GoldenRow> {
  const findings = await verifyFlatSave(await copySave(name));
  return row("is reported", () => {
    const damage = findings.filter(({ severity }) => severity === "damage");
    ok(damage.length > 0, "nothing was found");
    ok(
      damage.every(({ file }) => file === path),
      JSON.stringify(damage.map(({ file }) => file)),
    );
  });
}

/** All damaged saves are copies of 04. The content of a damaged record is lost, the rest comes back. */
async function checkRepair(name: string): Promise<readonly GoldenRow[]> {
  const disk = await copySave(name);
  const plan = await planFlatRepair(disk);
  const target = new MemoryDisk();
  await applyFlatRepair(disk, plan, target);
  const repaired = await openFlatSave(target);
  const content = await readEverything(repaired);
  const base = await openFlatSave(await copySave("04-entities-players"));
  const before = await readEverything(base);
  const lost = plan.losses.flatMap(({ chunks, what }) => (chunks === undefined ? [] : [{ chunks, what }]));
  const isLost = (kind: string, position: Position): boolean =>
    lost.some(({ chunks, what }) => what === kind && boxContains(chunks, position));
  return [
    row("repair brings back the chunks", () => {
      deepEqual(
        content.chunks,
        before.chunks.filter(({ position }) => !isLost("chunks", position)),
      );
    }),
    row("repair brings back the entities", () => {
      const expected = before.entities.filter(
        (entity) => !isLost("entities", chunkOfEntity(entity, HYPERCUBE_CHUNKS)),
      );
      deepEqual(byId(content.entities), byId(expected));
    }),
    row("repair brings back the players", () => {
      const ids = (players: readonly StoredPlayer[]): readonly string[] =>
        players.map(({ playerId }) => String(playerId)).sort();
      deepEqual(ids(repaired.players), ids(base.players));
    }),
    row("repair loses no more than one record", () => ok(lost.length <= 1)),
  ];
}

function byId(entities: readonly StoredEntity[]): readonly StoredEntity[] {
  return [...entities].sort((a, b) => (a.entityId < b.entityId ? -1 : 1));
}
