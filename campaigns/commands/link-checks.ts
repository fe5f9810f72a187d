import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { contentsOf, LINK_KINDS, type LinkKind, placeLink } from "../save/linked-folder.ts";
import type { CommandTester } from "./command-tester.ts";
import { makeGarbage } from "./made-world.ts";

/** Parts of a world that are replaced with a link. */
const PARTS = ["data", "index", "journal", "manifest.json"] as const;

/** Commands that fail or finish where they meet a link, each with a folder to write to. */
const LINES: readonly ((world: string, target: string) => readonly string[])[] = [
  (world) => ["info", world],
  (world) => ["ls", world, "chunks"],
  (world) => ["verify", world],
  (world, target) => ["repair", world, "--to", target],
  (world) => ["tag", world, "linked"],
  (world, target) => ["backup", world, target],
  (world, target) => ["restore", world, target],
  (world, target) => ["convert", world, target, "--to", "v3", "--accept-loss"],
  (world) => ["upgrade", world],
  (world) => ["compact", world],
];

/** Commands on a world with a link, and with links as their targets, change nothing outside of what they were given. */
export async function checkLinks(tester: CommandTester): Promise<void> {
  const other = await tester.copy();
  // Without generations and packs to remove, compaction would do nothing.
  if (!tester.world.model.losesJournal) await makeGarbage(other);
  await mkdir(join(other, "journal"), { recursive: true });
  const before = await contentsOf(other);
  const { seed } = tester.world.model.recipe;
  const part = PARTS[seed % PARTS.length] ?? "data";
  const kinds = new Set<LinkKind>(["outwards", LINK_KINDS[seed % LINK_KINDS.length] ?? "dangling"]);
  for (const kind of kinds) {
    const world = await tester.copy();
    await mkdir(join(world, "journal"), { recursive: true });
    await placeLink(world, part, kind, other);
    for (const lineOf of LINES) await checkLine(tester, lineOf(world, tester.newFolder()));
    await checkSame(tester, `${part} links ${kind}`, other, before);
  }
  await checkTargets(tester, other, before);
}

/** A link that a user names as a target is followed only to an empty folder. */
async function checkTargets(tester: CommandTester, other: string, before: string): Promise<void> {
  const [dangling, used] = [tester.newFolder(), tester.newFolder()];
  await symlink(tester.newFolder(), dangling);
  await symlink(other, used);
  for (const target of [dangling, used]) {
    await tester.run(EXIT.failed, "backup", tester.world.folder, target);
    await tester.run(EXIT.failed, "restore", tester.world.folder, target);
  }
  await checkSame(tester, "a link as a target", other, before);
}

async function checkLine(tester: CommandTester, words: readonly string[]): Promise<void> {
  const { exitCode, errors } = await tester.run(undefined, ...words);
  const isKnown = exitCode === EXIT.ok || exitCode === EXIT.failed || exitCode === EXIT.loss;
  if (!isKnown || /^ +at /m.test(errors)) tester.fail(`exit code ${exitCode} of ${words[0]}: ${errors}`);
}

async function checkSame(tester: CommandTester, what: string, folder: string, before: string): Promise<void> {
  if ((await contentsOf(folder)) !== before) tester.fail(`${what}: another world changed`);
}
