import { expect, test } from "vitest";
import { findSwapFault, mixUps, twoWorlds } from "./swap.ts";

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
