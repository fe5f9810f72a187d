import { CUBE_CHUNKS } from "@orthant/core";
import { issueToken } from "@orthant/server";
import { canOpenBrowser } from "@orthant/testkit/browser";
import { describe, expect, onTestFinished, test } from "vitest";
import { BRICK, BROWSER_MS, browserForTests, GOLD, MIDDLE, newWorld, serve } from "./served-page.ts";

/** Slow, so that also a slow browser draws several frames in a tick. */
const TICK_MS = 1_000;
const POSES = 8;

declare function requestAnimationFrame(frame: (nowMs: number) => void): void;

/** Runs in the page: returns where a label was in each frame for some time. */
function leftsOfLabel({ text, ms }: { text: string; ms: number }): Promise<number[]> {
  const lefts: number[] = [];
  return new Promise((resolve) => {
    const startMs = Date.now();
    const look = (): void => {
      for (const label of orthant.host.shadowRoot.getElementById("labels").children)
        if (label.textContent === text) lefts.push(label.getBoundingClientRect().left);
      if (Date.now() - startMs < ms) requestAnimationFrame(look);
      else resolve(lefts);
    };
    look();
  });
}

declare const location: { readonly href: string };
declare const orthant: {
  readonly host: { readonly shadowRoot: { getElementById(id: string): PageElement } };
};

interface PageElement {
  readonly children: Iterable<PageElement>;
  readonly textContent: string;
  getBoundingClientRect(): { readonly left: number };
}

describe.skipIf(!canOpenBrowser())("visitors of the viewer in Chromium", { timeout: BROWSER_MS }, () => {
  const open = browserForTests();

  test("says that the server refuses it without a token, accepts one from the visitor, and keeps it out of the address", async () => {
    const world = await newWorld(CUBE_CHUNKS);
    const secret = "a secret of more than thirty-two bytes";
    const server = await serve(world, { auth: { secret } });
    const token = await issueToken(
      { playerId: 7n, role: "viewer", expiresInSeconds: 60 },
      { secret },
      Date.now(),
    );
    const view = await open(server);
    await view.said("only those who have a token");
    await view.page.fill("#token", token);
    await view.page.click("#token-form button");
    await view.said("Here, to look");
    expect(await view.page.isHidden("#tools")).toBe(true);

    const other = await open(server, `token=${token}&at=5,6,7,0`);
    await other.said("Here");
    await other.settled();
    expect(other.page.url()).not.toContain("token");
    expect(other.page.url()).toContain("at=5,6,7");
  });

  test("begins where the visitor was before, and takes a link without the last coordinates", async () => {
    const secret = "a secret of more than thirty-two bytes";
    const server = await serve(await newWorld(CUBE_CHUNKS), { auth: { secret } });
    const claims = { playerId: 7n, role: "builder", expiresInSeconds: 60 } as const;
    const token = await issueToken(claims, { secret }, Date.now());
    const placeAt = async (link: string): Promise<string | undefined> => {
      const view = await open(server, link);
      await view.said("Here");
      await view.settled();
      const place = /at=([^,]+,[^,]+,[^,]+)/.exec(view.page.url())?.[1];
      await expect.poll(() => server.players[0]?.position.slice(0, 3).join()).toBe(place);
      await view.close();
      await expect.poll(() => server.players.length).toBe(0);
      return place;
    };
    const place = await placeAt(`token=${token}`);
    expect(place).toMatch(/^0\.5,/);
    expect(await placeAt(`token=${token}`)).toBe(place);
    expect(await placeAt(`token=${token}&at=5,6,7`)).toBe("5,6,7");
  });

  test("shows the other players with their names, and resumes without a reload when the server comes back", async () => {
    const world = await newWorld(CUBE_CHUNKS, [[-3, -3, -23, 0], [4, 4, -16, 1], BRICK]);
    const first = await serve(world);
    const ada = await open(first, "at=0.5,0.5,0.5,0&look=0,0&name=Ada");
    const bob = await open(first, "at=6.5,3.5,-8.5,0&look=0,0&name=Bob");
    await Promise.all([ada.settled(), bob.settled()]);
    await ada.says("labels", "Bob");
    // The viewer shows the reason for this long: long enough to be seen on a busy machine.
    await first.close({ detail: "a moment, please", retryAfterMs: 4_000 });
    await ada.said("Offline. A moment, please.");

    await world.set([0, 0, -16, 0], GOLD);
    await serve(world, { port: first.port });
    await Promise.all([ada.said("Here"), bob.said("Here")]);
    await Promise.all([ada.sees([0, 0, -16, 0], GOLD), bob.sees([0, 0, -16, 0], GOLD)]);
    await ada.page.keyboard.press("3");
    await ada.page.mouse.click(...MIDDLE);
    await bob.sees([0, 0, -16, 0], 0);
  });

  test("moves what moves in small steps, however seldom its poses arrive", async () => {
    const world = await newWorld(CUBE_CHUNKS, [[-3, -3, -23, 0], [4, 4, -16, 1], BRICK]);
    const server = await serve(world, { tickMs: TICK_MS });
    const sheep = world.entities.spawn({ kind: 1, position: [-8, 0, -12, 0], displayName: "Dolly" });
    const view = await open(server, "at=0.5,0.5,0.5,0&look=0,0");
    await view.settled();
    await view.says("labels", "Dolly");
    let x = -8;
    const walking = setInterval(() => {
      x += 1;
      world.entities.change(sheep.entityId, { position: [x, 0, -12, 0] });
    }, TICK_MS);
    onTestFinished(() => clearInterval(walking));
    const lefts = await view.page.evaluate(leftsOfLabel, { text: "Dolly", ms: POSES * TICK_MS });
    const steps = lefts.slice(1).map((left, index) => left - (lefts[index] as number));
    // One that jumps from pose to pose would move as many times as poses arrive.
    expect(steps.filter((step) => step > 0).length).toBeGreaterThan(2 * POSES);
  });

  test("keeps the visitor's position in the address, before and after a link to it was copied", async () => {
    const view = await open(await serve(await newWorld(CUBE_CHUNKS)), "at=0.5,0.5,0.5,0&look=0,0");
    await view.settled();
    await view.page.keyboard.press("l");
    await view.says("notice", "place");
    const shared = view.page.url();
    await view.page.keyboard.down("w");
    await view.page.waitForFunction((before) => location.href !== before, shared);
    await view.page.keyboard.up("w");
  });
});
