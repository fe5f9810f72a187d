// What players say: to all, or to the server as a command.
import { chunkBox, type OrthantServer, type World } from "orthant";
import { type News, shiftTo } from "./game.ts";
import { claim, give, read } from "./things.ts";

export type Player = OrthantServer["players"][number];
/** What commands work with. `shift` is how far ahead the clock of this world is, in days. */
export type Village = { readonly world: World<3>; readonly server: OrthantServer; shift: number };

/** Says something to all players, or does what a command says. Returns what the player reads, or throws it. */
export async function hear(village: Village, player: Player, text: string): Promise<string | undefined> {
  const { world, server } = village;
  const { playerId, name } = player;
  const [command = "", ...words] = text.trim().split(/\s+/);
  const broadcast = (news: News): unknown => server.broadcast(news);
  if (!command.startsWith("/")) return void broadcast({ say: `${name}: ${text}` });
  if (command === "/home" || command === "/tp") {
    const home = await read(world.store, `home/${name}`, world.spawn);
    const friend = server.players.find((one) => one.name === words[0]);
    const position = command === "/home" ? home : friend?.position;
    if (position === undefined) throw new Error(`${words[0]} is not here.`);
    server.movePlayer(playerId, { position });
    return "Here you are.";
  }
  if (command === "/claim") {
    broadcast({ plots: await claim(world, name, player.position) });
    return "This plot is yours, and your home is here.";
  }
  if (command === "/top") {
    const scores: [name: string, built: number][] = [];
    for await (const [key, built] of world.store.entries("built/"))
      scores.push([key.slice(6), Number(built)]);
    const best = scores.sort((one, other) => other[1] - one[1]).slice(0, 5);
    return `The best builders: ${best.map(([who, built]) => `${who} (${built})`).join(", ")}.`;
  }
  if (player.role !== "admin") throw new Error("/home /tp NAME /claim /top");
  const [x = 0, y = 0, z = 0, toX = 0, toY = 0, toZ = 0, minutes = 0] = words.map(Number);
  if (command === "/give" && Number.isSafeInteger(y)) {
    await world.transaction((transaction) => give(transaction, name, { [words[0] ?? ""]: y }));
    return "It is in your bag.";
  }
  if (command === "/time") {
    village.shift = shiftTo(words[0] === "night" ? 0.95 : 0.4);
    await world.store.set("shift", village.shift);
    broadcast({ shift: village.shift });
    return "The sun moved.";
  }
  if (command === "/rollback" && minutes > 0) {
    // Whole chunks, with what all players did there. What they carry stays theirs.
    const chunk = (at: number): number => Math.floor(at / 16);
    const chunks = chunkBox([chunk(x), chunk(y), chunk(z)], [chunk(toX) + 1, chunk(toY) + 1, chunk(toZ) + 1]);
    const { status } = await world.restoreChunks(chunks, new Date(Date.now() - minutes * 60_000));
    return status === "applied" ? "It is as it was." : "Nothing was different.";
  }
  throw new Error("/home /tp NAME /claim /top /give ITEM COUNT /time WHEN /rollback X Y Z X Y Z MINUTES");
}
