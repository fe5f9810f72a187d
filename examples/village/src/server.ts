// The server: opens the world, lets players in, and says what they may do.
import { randomBytes } from "node:crypto";
import { createServer, type Disk, issueToken, openOrCreateWorld, type ServerOptions } from "orthant";
import { logIn } from "./accounts.ts";
import { hear, type Player, type Village } from "./chat.ts";
import * as game from "./game.ts";
import { mobs } from "./mobs.ts";
import { nature, TOUCH } from "./nature.ts";
import { act, pay, read } from "./things.ts";

/** Opens the village in a folder, or founds it there, and lets players in. */
export async function startVillage(disk: string | Disk, how?: Partial<ServerOptions>): Promise<Village> {
  const world = await openOrCreateWorld(
    disk,
    { dimensions: 3, generator: game.village({ seed: 11n }), blocks: game.BLOCKS, spawn: [18.5, 2, 0.5] },
    { durability: "journal" },
  );
  const allow = (): undefined => undefined;
  // Tokens end with the server. A page that comes back logs in again by itself.
  const secret = randomBytes(32).toString("hex");
  /** Tells a player what is new, and what they carry. */
  const tell = async ({ playerId, name }: Player, news: game.News = {}): Promise<void> => {
    const items = await read<game.Items>(world.store, `bag/${name}`, {});
    server.send(playerId, { ...news, items });
  };
  const server = await createServer({
    ...how,
    world,
    auth: { secret },
    acknowledge: "durable", // an edit is acknowledged once it would survive a crash
    closeWorld: true,
    movement: game.PLAYER,
    messages: { fromClient: game.wishOf },
    logger: { level: "warn" },
    async onRequest(request) {
      if (request.method !== "POST" || new URL(request.url).pathname !== "/login") return undefined;
      const form = new URLSearchParams(await request.text());
      const name = form.get("name") ?? "";
      const id = await logIn(world, name, form.get("password") ?? "");
      if (id === undefined) return new Response("This is not the password of that name.", { status: 401 });
      const role = id === 1 ? "admin" : "builder"; // who came first
      const claims = { playerId: BigInt(id), name, role, expiresInSeconds: 86_400 } as const;
      return new Response(await issueToken(claims, { secret }));
    },
    rules: {
      beforeEdit: ({ player: { name } }) => ({
        with: (transaction, changes) =>
          pay(world, transaction, name, [...changes]).then(allow, ({ message: reject }) => ({ reject })),
      }),
      afterEdit: ({ player }) => tell(player),
      async onJoin({ player }) {
        const plots = await read<game.Plots>(world.store, "plots", {});
        await tell(player, { plots, shift: village.shift, say: `Welcome, ${player.name}.` });
      },
      async onMessage({ player, message }) {
        const done = "say" in message ? hear(village, player, message.say) : act(world, player, message);
        const say = await done.catch(({ message: why }: Error) => why);
        await tell(player, typeof say === "string" ? { say } : {});
      },
    },
  });
  const village: Village = { world, server, shift: await read(world.store, "shift", 0) };
  const isNight = (): boolean => Math.abs(game.timeOfDay(village.shift) - 0.5) > 0.27;
  const bite = (prey: bigint): unknown => server.movePlayer(prey, { position: world.spawn }, "A wolf!");
  const onError = (error: unknown, system = ""): void => console.error(`the system ${system} failed:`, error);
  const systems = { ...nature(world.blocks), ...mobs(world.blocks.id("grass"), isNight, bite) };
  world.simulate({ touch: TOUCH, systems, activeRadius: 64, onError });
  return village;
}
