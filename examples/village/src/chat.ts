// What players say: to all, or to the server as a command.
import { chunkBox, type OrthantServer, type World } from "orthant";
import { type News, shiftTo } from "./game.ts";
import { claim, give, read } from "./things.ts";

/** What commands work with. */
export interface Village {
  readonly world: World<3>;
  readonly server: OrthantServer;
  /** How far ahead the clock of this world is, in days. */
  shift: number;
}
export type Player = OrthantServer["players"][number];

/** Says something to all players, or does what a command says. Throws what the player reads if it cannot. */
export async function hear(village: Village, player: Player, text: string): Promise<void> {
  const [command = "", ...words] = text.trim().split(/\s+/);
  if (!command.startsWith("/")) village.server.broadcast({ say: `${player.name}: ${text}` } satisfies News);
  else
    village.server.send(player.playerId, { say: await obey(village, player, command, words) } satisfies News);
}

/** Does what a command says. Returns what the player reads. */
async function obey(
  village: Village,
  player: Player,
  command: string,
  words: readonly string[],
): Promise<string> {
  const { world, server } = village;
  const { playerId, name } = player;
  if (command === "/home") {
    server.movePlayer(
      playerId,
      { position: await read(world.store, `home/${name}`, world.spawn) },
      "Home again.",
    );
    return "You went home.";
  }
  if (command === "/tp") {
    const friend = server.players.find((one) => one.name === words[0]);
    if (friend === undefined) throw new Error(`${words[0]} is not here.`);
    server.movePlayer(playerId, { position: friend.position }, `With ${friend.name}.`);
    return "You flew.";
  }
  if (command === "/claim") {
    server.broadcast({ plots: await claim(world, name, player.position) } satisfies News);
    return "This plot is yours, and your home is here.";
  }
  if (command === "/top") {
    const scores: [name: string, built: number][] = [];
    for await (const [key, built] of world.store.entries("built/"))
      scores.push([key.slice(6), Number(built)]);
    scores.sort((one, other) => other[1] - one[1]);
    return `Most was built by ${scores
      .slice(0, 5)
      .map(([who, built]) => `${who} (${built})`)
      .join(", ")}.`;
  }
  if (player.role !== "admin") throw new Error("/home /tp NAME /claim /top");
  if (command === "/give" && Number.isSafeInteger(Number(words[1]))) {
    await world.transaction((transaction) => give(transaction, name, { [words[0] ?? ""]: Number(words[1]) }));
    return "It is in your bag.";
  }
  if (command === "/time") {
    village.shift = shiftTo(words[0] === "night" ? 0.95 : 0.4);
    await world.store.set("shift", village.shift);
    server.broadcast({ shift: village.shift } satisfies News);
    return "The sun moved.";
  }
  const [x = 0, y = 0, z = 0, toX = 0, toY = 0, toZ = 0, minutes] = words.map(Number);
  if (command === "/rollback" && minutes) {
    // Whole chunks, with all that players did there. What they carry stays theirs.
    const chunk = (at: number): number => Math.floor(at / 16);
    const chunks = chunkBox([chunk(x), chunk(y), chunk(z)], [chunk(toX) + 1, chunk(toY) + 1, chunk(toZ) + 1]);
    const { status } = await world.restoreChunks(chunks, new Date(Date.now() - minutes * 60_000));
    return status === "applied" ? "It is as it was." : "Nothing was different.";
  }
  throw new Error(
    "/home /tp NAME /claim /top /give ITEM COUNT /time day|night /rollback X Y Z X Y Z MINUTES",
  );
}
