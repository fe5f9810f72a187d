import { execFile } from "node:child_process";
import { createSocket } from "node:dgram";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { Prng } from "@orthant/testkit";
import { createWorld } from "orthant";
import { describe, expect, test } from "vitest";
import { capture, temporaryFolder } from "./captured.ts";

/** The server of Luanti, or Minetest, which Debian has in the packages luanti-server and minetest-server. */
const SERVER = findServer();
if (SERVER === undefined)
  process.stderr.write("luanti: SKIPPED, no luantiserver here; install it, or name it in ORTHANT_LUANTI\n");
const SERVER_MS = 120_000;
const EDGE = 40;
/** Loads an area, writes all of its nodes and their metadata to files, and stops the server. */
const PROBE = `
core = core or minetest
core.set_mapgen_setting("mg_name", "singlenode", true)
core.after(0, function()
  local from, to = { x = -${EDGE}, y = -${EDGE}, z = -${EDGE} }, { x = ${EDGE - 1}, y = ${EDGE - 1}, z = ${EDGE - 1} }
  core.emerge_area(from, to, function(_, _, left)
    if left > 0 then return end
    local file = io.open(core.get_worldpath() .. "/nodes.txt", "w")
    for x = from.x, to.x do for y = from.y, to.y do for z = from.z, to.z do
      local node = core.get_node({ x = x, y = y, z = z })
      if node.name ~= "air" then file:write(x, ",", y, ",", z, " ", node.name, " ", node.param2, "\\n") end
    end end end
    file:close()
    local found = {}
    for _, at in ipairs(core.find_nodes_with_meta(from, to)) do
      local meta, timer = core.get_meta(at), core.get_node_timer(at)
      local value = meta:to_table()
      value.timeout, value.elapsed = timer:get_timeout(), timer:get_elapsed()
      value.width = meta:get_inventory():get_width("main")
      for name, list in pairs(value.inventory) do
        for slot, stack in ipairs(list) do list[slot] = stack:to_string() end
      end
      found[at.x .. "," .. at.y .. "," .. at.z] = value
    end
    file = io.open(core.get_worldpath() .. "/metadata.json", "w")
    file:write(core.write_json(found))
    file:close()
    core.request_shutdown("all nodes are read")
  end)
end)
`;

function findServer(): string | undefined {
  const named = process.env["ORTHANT_LUANTI"];
  if (named !== undefined) return named;
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/lib/minetest", "/usr/games"];
  return ["luantiserver", "minetestserver"]
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}

async function freePort(): Promise<number> {
  const socket = createSocket("udp4");
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(resolve));
  return port;
}

/** Starts the server on a world, with a game that reads all nodes. Returns them, by their places. */
async function nodesBy(server: string, folder: string): Promise<ReadonlyMap<string, string>> {
  const mod = join(folder, "games/probe/mods/probe");
  const world = join(folder, "luanti");
  await mkdir(mod, { recursive: true });
  await writeFile(join(folder, "games/probe/game.conf"), "title = Probe\n");
  await writeFile(join(mod, "mod.conf"), "name = probe\n");
  await writeFile(join(mod, "init.lua"), PROBE);
  await writeFile(join(world, "world.mt"), "gameid = probe\nbackend = sqlite3\n");
  const settings = `bind_address = 127.0.0.1\nport = ${await freePort()}\nserver_announce = false\n`;
  await writeFile(join(folder, "luanti.conf"), settings);
  const games = join(folder, "games");
  await promisify(execFile)(
    server,
    ["--world", world, "--gameid", "probe", "--config", join(folder, "luanti.conf"), "--logfile", ""],
    {
      env: { ...process.env, HOME: folder, MINETEST_GAME_PATH: games, MINETEST_SUBGAME_PATH: games },
      timeout: SERVER_MS,
    },
  );
  const lines = (await readFile(join(world, "nodes.txt"), "utf8")).trimEnd().split("\n");
  return new Map(lines.map((line) => [line.split(" ", 1)[0] ?? "", line.slice(line.indexOf(" ") + 1)]));
}

describe.skipIf(SERVER === undefined)("the server of Luanti", () => {
  test(
    "[EX12] [EX13] [EX14] [EX15] reads every node, metadata and timer of a map that orthant export wrote",
    async () => {
      const folder = await temporaryFolder();
      const world = await createWorld(join(folder, "world"), { dimensions: 3 });
      const rotations = Array.from({ length: 24 }, (_, at) => String(at));
      const blocks = await world.defineBlocks({
        "default:stone": {},
        "stairs:stair": { properties: { param2: rotations } },
      });
      const random = new Prng(5);
      const expected = new Map<string, string>();
      const placements: { position: readonly [number, number, number]; block: number }[] = [];
      for (let count = 0; count < 4_000; count++) {
        const [x, y, z] = [0, 1, 2].map(() => random.between(-EDGE, EDGE - 1)) as [number, number, number];
        const param2 = random.pick(rotations);
        const isStair = random.chance(0.5);
        const block = isStair ? blocks["stairs:stair"].id({ param2 }) : blocks["default:stone"].id();
        placements.push({ position: [x, y, z], block });
        expected.set(`${x},${y},${-1 - z}`, isStair ? `stairs:stair ${param2}` : "default:stone 0");
      }
      await world.edit(placements);
      const { position } = placements.at(-1) as (typeof placements)[number];
      await world.setData(position, {
        fields: { owner: "Änne", code: "7" },
        privateFields: ["code"],
        inventory: { main: { width: 4, items: ["default:dirt 99", "", "default:pick 1 300"] } },
        timer: { timeout: 600.5, elapsed: 0.25 },
      });
      await world.close();
      await mkdir(join(folder, "luanti"));
      const { errors } = await capture(["export", join(folder, "world"), join(folder, "luanti/map.sqlite")]);
      expect(errors).toBe("");
      const found = await nodesBy(SERVER ?? "", folder);
      expect(Object.fromEntries([...found].sort())).toEqual(Object.fromEntries([...expected].sort()));
      const [x, y, z] = position;
      expect(JSON.parse(await readFile(join(folder, "luanti/metadata.json"), "utf8"))).toEqual({
        [`${x},${y},${-1 - z}`]: {
          fields: { owner: "Änne", code: "7" },
          inventory: { main: ["default:dirt 99", "", "default:pick 1 300"] },
          width: 4,
          timeout: 600.5,
          elapsed: 0.25,
        },
      });
    },
    SERVER_MS,
  );
});
