import { mkdir, readdir, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { expect, test } from "vitest";
import { capture, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";

test("compact refuses a world whose packs are a link to those of another, and changes nothing there", async () => {
  const [mine, gift] = [await makeSampleWorld(), await makeSampleWorld()];
  await rm(join(gift, "data"), { recursive: true });
  await symlink(join(mine, "data"), join(gift, "data"));
  const before = await readdir(join(mine, "data"));
  const { exitCode, errors } = await capture(["compact", gift]);
  expect(exitCode).toBe(EXIT.failed);
  expect(errors).toContain("data is a link, and links inside the folder are not followed");
  expect(await readdir(join(mine, "data"))).toEqual(before);
  expect((await capture(["verify", mine])).exitCode).toBe(EXIT.ok);
  expect((await capture(["verify", gift])).output).toContain("damage: data: data is a link");
});

test("a link beside the files of a world is only noted, and one in another folder is not a world", async () => {
  const world = await makeSampleWorld();
  await symlink("/dev/null", join(world, "notes"));
  const verified = await capture(["verify", world]);
  expect([verified.exitCode, verified.output]).toEqual([EXIT.ok, expect.stringContaining("notice: notes")]);
  const folder = await temporaryFolder();
  await mkdir(join(folder, "empty"));
  await symlink("/dev/null", join(folder, "empty", "notes"));
  expect((await capture(["info", join(folder, "empty")])).errors).toContain("holds no world");
});

test("a link that the user names is followed: to a world, and to a file", async () => {
  const world = await makeSampleWorld();
  await symlink(world, `${world}-link`);
  expect((await capture(["info", `${world}-link`])).exitCode).toBe(EXIT.ok);
  const file = `${world}.schem`;
  const box = ["--box", "0,100,0..4,104,4", "--accept-loss"];
  expect((await capture(["export", world, file, ...box])).exitCode).not.toBe(EXIT.failed);
  const elsewhere = await temporaryFolder();
  await rename(file, join(elsewhere, "house.schem"));
  await symlink(join(elsewhere, "house.schem"), file);
  expect((await capture(["info", file])).output).toContain("schematic");
});
