import { FakeTime } from "@orthant/testkit";
import { expect, test } from "vitest";
import { capture, temporaryFolder } from "./captured.ts";

test("long work shows its progress on a terminal, and nothing in a pipe", async () => {
  const folder = await temporaryFolder();
  await capture(["create", `${folder}/world`]);
  const time = new FakeTime();
  const onTerminal = await capture(["verify", `${folder}/world`], { isTerminal: true, time });
  const [before, shown, after] = onTerminal.errors.split("\r\u001b[2K");
  expect(before).toBe("");
  expect(shown).toMatch(/^verifying \d+%, \d+ bytes$/);
  expect(after, "the line is taken away at the end").toBe("");
  expect((await capture(["verify", `${folder}/world`])).errors).toBe("");
  const asJson = await capture(["verify", `${folder}/world`, "--json"], { isTerminal: true });
  expect(asJson.errors).toBe("");
});
