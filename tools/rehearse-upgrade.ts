import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { type ClientWorld, connect } from "orthant";

// Usage: node build/tools/rehearse-upgrade.js OLD_IMAGE NEW_IMAGE [docker | podman]
// Serves a world from a container while players build, and does what an operator does: kills the container,
// upgrades it to the new image, rolls back to the old one. After each step every acknowledged edit must be there.

const [oldImage = "", newImage = "", engine = "docker"] = process.argv.slice(2);
if (newImage === "") {
  console.error("usage: node build/tools/rehearse-upgrade.js OLD_IMAGE NEW_IMAGE [docker | podman]");
  process.exit(2);
}

const NAME = `orthant-rehearsal-${process.pid}`;
const PORT = 7_440;
const PLAYERS = 4;
/** How many edits must be acknowledged after each step of the operator, and the time for that. */
const EDITS = 100;
const BUILDING_MS_MAX = 60_000;
/** Voxels along each side of the area that players build in. */
const SIDE = 64;
const CENTER = [SIDE / 2, 200, SIDE / 2] as const;

type Position = readonly [x: number, y: number, z: number];

/** Edits that were acknowledged: on the disk, as the server says. */
const acknowledged: Position[] = [];
let isOver = false;

try {
  await rehearse();
} catch (error) {
  console.error(`rehearse-upgrade: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
  isOver = true;
} finally {
  run(`rm --force ${NAME}`);
  run(`volume rm --force ${NAME}`);
}
// Clients of a rehearsal that failed would look for their server forever.
process.exit();

async function rehearse(): Promise<void> {
  inVolume(oldImage, "create world --template terrain --quiet");
  const token = inVolume(oldImage, "token --secret-file secret.txt --new-secret --role admin").trim();
  start(oldImage);
  const players = await Promise.all(Array.from({ length: PLAYERS }, () => join(token)));
  const building = players.map((player, index) => build(player, index));
  await check(token, "built");

  run(`kill --signal KILL ${NAME}`);
  run(`start ${NAME}`);
  await check(token, "killed and started again");

  replace(newImage);
  await check(token, `upgraded to ${newImage}`);

  replace(oldImage);
  await check(token, `rolled back to ${oldImage}`);

  isOver = true;
  await Promise.all(building);
  await Promise.all(players.map((player) => player.close()));
  run(`stop --time 60 ${NAME}`);
  console.log(inVolume(oldImage, "verify world").trim());
  console.log(`rehearse-upgrade: ${acknowledged.length} acknowledged edits, 0 lost`);
}

/** Lets players build, and then reads back what they were told is stored. */
async function check(token: string, step: string): Promise<void> {
  const enough = acknowledged.length + EDITS;
  const endMs = Date.now() + BUILDING_MS_MAX;
  while (acknowledged.length < enough) {
    if (Date.now() > endMs)
      throw new Error(`${step}: the players could not build within ${BUILDING_MS_MAX} ms`);
    await sleep(100);
  }
  const promised = acknowledged.slice();
  const reader = await join(token);
  const stone = reader.blocks.id("stone");
  const lost = promised.filter((position) => reader.voxelAt(position) !== stone);
  await reader.close();
  if (lost.length > 0)
    throw new Error(`${step}: ${lost.length} of ${promised.length} edits are lost: [${lost[0]}]`);
  console.log(`${step}: all ${promised.length} acknowledged edits are there`);
}

async function join(token: string): Promise<ClientWorld<3>> {
  const client = await connect(`ws://127.0.0.1:${PORT}`, { token, dimensions: 3, timeoutMs: 60_000 });
  await client.setInterest({ center: CENTER, radius: SIDE });
  return client;
}

/** Fills the area voxel by voxel until the rehearsal is over. An edit that is refused is not tried again. */
async function build(player: ClientWorld<3>, index: number): Promise<void> {
  const stone = player.blocks.id("stone");
  for (let count = index; !isOver; count += PLAYERS) {
    const position: Position = [
      count % SIDE,
      CENTER[1] + Math.floor(count / SIDE ** 2),
      Math.floor(count / SIDE) % SIDE,
    ];
    const { status } = await player.set(position, stone);
    if (status === "applied") acknowledged.push(position);
    await sleep(20);
  }
}

/** Does what the guide says: an orderly stop, and the other image on the same volume. */
function replace(image: string): void {
  run(`stop --time 60 ${NAME}`);
  run(`rm ${NAME}`);
  start(image);
}

function start(image: string): void {
  const options = `--detach --name ${NAME} --publish 127.0.0.1:${PORT}:${PORT} --volume ${NAME}:/worlds`;
  const serve = "serve world --host 0.0.0.0 --acknowledge durable --secret-file secret.txt --quiet";
  run(`run ${options} ${image} ${serve}`);
}

/** Runs a command of Orthant beside the server. */
function inVolume(image: string, command: string): string {
  return run(`run --rm --volume ${NAME}:/worlds ${image} ${command}`);
}

/** Runs a command of the container engine. No word of it has a space. */
function run(command: string): string {
  return execFileSync(engine, command.split(" "), { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}
