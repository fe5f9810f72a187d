import { expect, test } from "vitest";
import { findLinkFault, findSwapFault, linkedParts, mixUps, twoWorlds } from "./swap.ts";

test("[S94] [J22] verify reports foreign and missing files, unless the content is unchanged", async () => {
  const worlds = await twoWorlds(7);
  const faults: string[] = [];
  let cases = 0;
  for (const mixUp of mixUps(worlds)) {
    const fault = await findSwapFault(worlds, mixUp);
    if (fault !== undefined) faults.push(`${mixUp.name}: ${fault}`);
    cases++;
  }
  expect(faults).toEqual([]);
  expect(cases).toBeGreaterThan(80);
}, 60_000);

test("[S5] a world with a link writes and removes nothing elsewhere, and verify reports the link", async () => {
  const worlds = await twoWorlds(7);
  const faults: string[] = [];
  let cases = 0;
  for (const part of linkedParts(worlds)) {
    const fault = await findLinkFault(worlds, part);
    if (fault !== undefined) faults.push(`${part.path} ${part.kind}: ${fault}`);
    cases++;
  }
  expect(faults).toEqual([]);
  expect(cases).toBeGreaterThan(40);
}, 60_000);
