// Makes a world of two, one of three and one of four dimensions, builds in them, and draws the pictures that the
// documents show. The same call gives the same pictures.
// Usage: node tools/pictures/main.mjs [FOLDER]
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { connect } from "@orthant/client/node";
import { NodeDisk } from "@orthant/disk/node";
import { createServer } from "@orthant/server";
import { canOpenBrowser, openBrowser, servePrograms, ViewerWindow } from "@orthant/testkit/browser";
import { VIEWER_PAGE } from "@orthant/viewer/node";
import { openWorldEngine } from "@orthant/world/engine";

const pictures = process.argv[2] ?? "docs/pictures";
const worlds = await mkdtemp(join(tmpdir(), "orthant-pictures-"));
const STONE = 1;
const SAND = 4;
const WOOD = 6;
const BRICK = 11;
const GLASS = 12;
const LAMP = 13;
const SIZE = { width: 860, height: 484 };
const HOTBAR = ["grass", "stone", "planks", "brick", "wood", "glass", "sand", "lamp", "torch"];
const PHONE = {
  at: [-7.5, 6.7, -6.5],
  pitch: -4,
  time: 0.36,
  viewDistance: 96,
  blocks: HOTBAR,
  isPhone: true,
};
/** Where torches stand in a large cave below the hills. */
const CAVE_FLOOR = [
  [-120, -36, -40],
  [-110, -35, -34],
  [-118, -35, -30],
  [-126, -35, -36],
  [-104, -33, -40],
];

try {
  // Two dimensions: a maze, voxel by voxel.
  const maze = join(worlds, "maze");
  await orthant("create", maze, "--template", "tiles", "--generator", "maze", "--seed", "5");
  await view("viewer-2d.webp", maze, "at=1.5,30.5,0,0&map=6");
  await draw("maze-2d.png", maze, "--box", "-66,-2..67,67", "--scale", "5", "--background", "1d2430");

  // Three dimensions: hills, lakes and caves, and a village.
  const hills = join(worlds, "hills");
  await orthant("create", hills, "--template", "terrain", "--seed", "7");
  await build(hills, async (world) => {
    const houses = [
      [-28, -12, 11, 9],
      [-10, -18, 9, 9],
      [8, -12, 13, 9],
      [-26, 8, 9, 11],
      [-8, 10, 11, 9],
      [12, 8, 9, 13],
    ];
    const floor = 5;
    await world.fill(box(-34, floor, -24, 28, floor + 24, 26), 0);
    await world.fill(box(-34, floor - 8, -24, 28, floor, 26), 3);
    await world.fill(box(-34, floor - 1, -1, 28, floor, 3), STONE);
    await world.fill(box(-1, floor - 1, -24, 3, floor, 26), STONE);
    for (const [x, z, width, depth] of houses) await house(world, x, floor, z, width, depth);
    await world.fill(box(-2, floor, -2, 4, floor + 1, 4), STONE);
    await world.fill(box(-1, floor, -1, 3, floor + 1, 3), 5);
    await world.fill(box(16, floor, -22, 22, floor + 16, -16), STONE);
    await world.fill(box(17, floor + 15, -21, 21, floor + 17, -17), LAMP);
    const { planks, torch } = await world.blocks.define({
      planks: { colour: 0xb08551 },
      torch: { colour: 0xffc766, solid: false, transparent: true, light: 14 },
    });
    for (const [x, z, width, depth] of houses) {
      await world.fill(box(x, floor - 1, z, x + width, floor, z + depth), planks.id());
      await world.set([x + (width >> 1), floor, z + (depth >> 1), 0], LAMP);
    }
    for (let x = -32; x < 28; x += 8) await world.set([x, floor, -2, 0], torch.id());
    for (let z = -22; z < 26; z += 8) await world.set([-2, floor, z, 0], torch.id());
    for (const [x, y, z] of CAVE_FLOOR) await world.set([x, y, z, 0], torch.id());
  });
  await view("viewer-3d.webp", hills, "at=-40,30,52,0&look=-38,-22");
  await scenes(hills, {
    "scene-day.webp": { at: [-38, 21, 36], yaw: -42, pitch: -16, time: 0.42, viewDistance: 176 },
    "created-three.webp": {
      at: [-7.5, 6.7, -6.5],
      yaw: -140,
      pitch: -4,
      time: 0.36,
      viewDistance: 112,
      blocks: HOTBAR,
    },
    "scene-dusk.webp": { at: [-38, 21, 36], yaw: -42, pitch: -14, time: 0.765, viewDistance: 128 },
    "scene-night.webp": { at: [-36, 10, 6], yaw: -82, pitch: -10, time: 0.93, viewDistance: 112 },
    "scene-cave.webp": { at: [-107, -30.5, -31], yaw: 66, pitch: -4, time: 0.5, viewDistance: 64 },
    "scene-water.webp": { at: [141, -15, -157], yaw: 80, pitch: 3, time: 0.45, viewDistance: 64 },
    "phone-upright.webp": { ...PHONE, size: { width: 390, height: 760 }, yaw: -128, fieldOfView: 80 },
    "phone-sideways.webp": { ...PHONE, size: { width: 760, height: 390 }, yaw: -140 },
  });
  await draw("hills-3d.png", hills, "--box", "-112,-60,-80,0..112,120,80,1", "--scale", "3");
  await draw(
    "caves-3d.png",
    hills,
    "--slice",
    "z=-36",
    "--box",
    "-112,-64,0..112,48,1",
    "--scale",
    "3",
    "--background",
    "a9d3ec",
  );
  await draw(
    "heat-3d.png",
    hills,
    "--heat",
    "bytes",
    "--box",
    "-112,-60,-80,0..112,120,80,1",
    "--scale",
    "2",
  );

  // A street of houses out of one house, with the builder's tools of the viewer.
  const street = join(worlds, "street");
  await orthant("create", street, "--template", "terrain", "--seed", "7");
  await build(street, async (world) => {
    await world.fill(box(-40, 5, -40, 60, 40, 40), 0);
    await world.fill(box(-40, 2, -40, 60, 5, 40), 3);
    await world.fill(box(-40, 4, 4, 60, 5, 8), STONE);
    await house(world, -12, 5, -8, 11, 9);
  });
  await buildStreet(street);

  // Four dimensions: floating platforms, and a ball that is a ball in all four.
  const isles = join(worlds, "isles");
  await orthant("create", isles, "--template", "platforms", "--seed", "3");
  await build(isles, async (world) => {
    const { spawn } = world;
    const [x, y, z] = [Math.floor(spawn[0]) + 24, Math.floor(spawn[1]) + 14, Math.floor(spawn[2]) - 24];
    for (const [radius, block] of [
      [13, BRICK],
      [9, GLASS],
    ])
      await ball(world, [x, y, z, 0], radius, block);
  });
  await view("viewer-4d.webp", isles, "at=18.5,180.5,8.5,6.5&look=-10,-11&hide=w");
  await draw(
    "isles-4d.png",
    isles,
    "--slice",
    "w=-12,-8,-4,0,4,8",
    "--box",
    "-186,0,-128,0..150,320,128,1",
    "--background",
    "dcebf5",
  );
} finally {
  await rm(worlds, { recursive: true });
}

async function draw(name, world, ...options) {
  await orthant("map", world, "--output", join(pictures, name), "--force", ...options);
  console.log(name);
}

/** Takes a picture of the viewer's page; none where there is no browser. */
async function view(name, folder, link) {
  if (!canOpenBrowser()) return;
  const world = await openWorldEngine(new NodeDisk(folder));
  const server = await createServer({ world, page: VIEWER_PAGE, logger: false, closeWorld: true });
  const browser = await openBrowser();
  try {
    const url = `http://127.0.0.1:${server.port}`;
    const opened = await ViewerWindow.open(browser, { url, link, size: SIZE });
    await opened.settled();
    await writeWebp(browser, name, (await opened.picture()).png);
    console.log(name);
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Builds a street out of the house of a world as a visitor would, and takes pictures of it; none where there is no browser. */
async function buildStreet(folder) {
  if (!canOpenBrowser()) return;
  const world = await openWorldEngine(new NodeDisk(folder));
  const operations = { builder: {} };
  const server = await createServer({
    world,
    page: VIEWER_PAGE,
    operations,
    logger: false,
    closeWorld: true,
  });
  const browser = await openBrowser();
  const take = async (name, opened) => {
    await opened.settled();
    await writeWebp(browser, name, (await opened.picture()).png);
    console.log(name);
  };
  try {
    const url = `http://127.0.0.1:${server.port}`;
    const opened = await ViewerWindow.open(browser, {
      url,
      link: "at=2.5,17,30.5,0&look=0,-24",
      size: { width: 1160, height: 700 },
    });
    const { page } = opened;
    const pixelOf = (voxel) => page.evaluate((at) => globalThis.orthant.viewer.project(at), voxel);
    const click = async (voxel) => {
      await page.mouse.move(...(await pixelOf(voxel)));
      await page.mouse.click(...(await pixelOf(voxel)));
    };
    await opened.settled();
    await page.keyboard.press("5");
    await opened.says("build-says", "Click two corners");
    // From the eaves on the left to the ground before the house on the right; then up to the chimney and back.
    await click([-12.5, 9.5, 2]);
    await opened.says("build-says", "other corner");
    await click([-0.5, 9.5, 2]);
    for (let step = 0; step < 4; step++) await page.locator('.handle[data-side="y-"]').press("ArrowDown");
    for (let step = 0; step < 6; step++) await page.locator('.handle[data-side="y+"]').press("ArrowUp");
    for (let step = 0; step < 10; step++) await page.locator('.handle[data-side="z-"]').press("ArrowLeft");
    await page.locator("#view").focus();
    await take("build-selection.webp", opened);

    await page.keyboard.press("Control+c");
    await opened.says("build-says", "Copied");
    await page.keyboard.press("Control+v");
    await opened.says("build-says", "click to place");
    await page.keyboard.press("f");
    await page.mouse.move(...(await pixelOf([14.5, 5, -3.5])));
    await opened.redrawn();
    await take("build-ghost.webp", opened);

    await page.mouse.click(...(await pixelOf([14.5, 5, -3.5])));
    await opened.says("build-says", "Pasted");
    await page.keyboard.press("Control+v");
    for (let turn = 0; turn < 2; turn++) await page.keyboard.press("r");
    await click([-6.5, 5, 13.5]);
    await opened.says("build-says", "Pasted");
    await page.keyboard.press("Control+v");
    await page.keyboard.press("f");
    await click([14.5, 5, 13.5]);
    await opened.says("build-says", "Pasted");
    for (const text of [
      "replace wood brick in box(8,9,-9,22,16,3)",
      "replace brick 80%brick,20%stone in box(-13,5,8,0,9,20)",
    ]) {
      await page.keyboard.press("/");
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
      await page.waitForFunction(
        () => globalThis.orthant.host.shadowRoot.getElementById("build-line").value === "",
      );
    }
    await page.keyboard.press("Control+z");
    await page.keyboard.press("u");
    await page.locator("#build-list-items li.undone").waitFor();
    await page.evaluate(() => {
      globalThis.orthant.viewer.goTo({ eye: [2.5, 24, 42.5, 0.5], yaw: 0, pitch: -0.5 });
    });
    await page.mouse.move(580, 120);
    await page.keyboard.press("Escape");
    await take("build-steps.webp", opened);
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Takes pictures of a world as the page of a game shows it, with two players in it; none where there is no browser. */
async function scenes(folder, places) {
  if (!canOpenBrowser()) return;
  const program = (path) => fileURLToPath(new URL(path, import.meta.url));
  const programs = await servePrograms({
    page: program("scene-page.mjs"),
    worker: program("../../packages/worker-pool/src/browser/mesh-worker.ts"),
  });
  const world = await openWorldEngine(new NodeDisk(folder));
  const server = await createServer({ world, origins: [programs.origin], logger: false, closeWorld: true });
  const players = await Promise.all(
    Object.entries({ Ada: [-3.2, 5, -4.4], Grace: [-5.4, 5, 0.5] }).map(async ([name, position]) => {
      const player = await connect(server.url, { name, dimensions: 3 });
      player.move({ position });
      return player;
    }),
  );
  const browser = await openBrowser();
  try {
    for (const [name, { size = SIZE, isPhone = false, ...place }] of Object.entries(places)) {
      const page = await browser.newPage({ viewport: size, hasTouch: isPhone, isMobile: isPhone });
      await page.goto(programs.origin);
      await page.waitForFunction(() => "show" in globalThis);
      await page.evaluate((shown) => globalThis.show(shown), { url: server.url, ...place });
      await writeWebp(browser, name, await page.screenshot());
      await page.close();
      console.log(name);
    }
  } finally {
    await browser.close();
    for (const player of players) await player.close();
    await server.close();
    programs.close();
  }
}

/** Writes a picture in the form that is smallest for scenes. */
async function writeWebp(browser, name, png) {
  const page = await browser.newPage();
  const webp = await page.evaluate(
    async (source) => {
      const picture = await createImageBitmap(await (await fetch(source)).blob());
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [picture.width, picture.height];
      canvas.getContext("2d", { alpha: false }).drawImage(picture, 0, 0);
      return canvas.toDataURL("image/webp", 0.85);
    },
    `data:image/png;base64,${png.toString("base64")}`,
  );
  await page.close();
  await writeFile(join(pictures, name), Buffer.from(webp.slice(webp.indexOf(",") + 1), "base64"));
}

/** Runs one command line. */
async function orthant(...argv) {
  const program = fileURLToPath(new URL("../../packages/orthant/bin/orthant.js", import.meta.url));
  await promisify(execFile)(process.execPath, [program, ...argv]);
}

async function build(folder, work) {
  const world = await openWorldEngine(new NodeDisk(folder));
  try {
    await work(world);
  } finally {
    await world.close();
  }
}

function box(x0, y0, z0, x1, y1, z1) {
  return { min: [x0, y0, z0, 0], max: [x1, y1, z1, 1] };
}

/** Walls of brick, windows, and a roof that rises to its ridge. */
async function house(world, x, y, z, width, depth) {
  await world.fill(box(x, y, z, x + width, y + 4, z + depth), BRICK);
  await world.fill(box(x + 1, y, z + 1, x + width - 1, y + 4, z + depth - 1), 0);
  await world.fill(box(x + 2, y + 1, z, x + 4, y + 3, z + depth), GLASS);
  for (let step = 0; step <= depth / 2; step++) {
    await world.fill(
      box(x - 1, y + 4 + step, z - 1 + step, x + width + 1, y + 5 + step, z + depth + 1 - step),
      WOOD,
    );
  }
  await world.fill(box(x + width - 3, y + 4, z + 2, x + width - 1, y + 11, z + 4), SAND);
}

/** All voxels that are nearer to the middle than the radius, in four dimensions. */
async function ball(world, middle, radius, block) {
  for (let w = -radius; w <= radius; w++) {
    const placements = [];
    for (let x = -radius; x <= radius; x++)
      for (let y = -radius; y <= radius; y++)
        for (let z = -radius; z <= radius; z++) {
          if (x * x + y * y + z * z + w * w > radius * radius) continue;
          placements.push({ voxel: [middle[0] + x, middle[1] + y, middle[2] + z, middle[3] + w], block });
        }
    await world.edit(placements);
  }
}
