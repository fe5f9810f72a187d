import { type PresenceMessage, presenceCodec } from "@orthant/cluster/internal";
import { decode, encode } from "@orthant/core/bytes";
import { boxBetween, regionBox } from "@orthant/core/lattice";
import { codeOf, fromHex, Prng, toHex } from "@orthant/testkit";
import { NO_ENGINE_FAULTS } from "@orthant/testkit/cluster";
import { expect, test } from "vitest";
import { SmallCluster } from "./small-cluster.ts";
import { type SmallClient, SmallServer } from "./small-server.ts";

const HOME = "p.town.0_0_0_0";
/** Two sectors. A sector is 64 voxels wide. */
const TWO_SECTORS = boxBetween([0, 0, 0, 0], [32, 4, 4, 4]);
const ADA: PresenceMessage["players"][number] = {
  ...{ session: 7, playerId: 300n, name: "Ada" },
  ...{ position: [1.5, -2, 0, 0], orientation: [0, 0, 0, 1] },
};

async function town(
  servers: number,
): Promise<{ readonly small: SmallCluster; readonly servers: SmallServer[] }> {
  const small = new SmallCluster();
  await small.create();
  const { node } = await small.node("a");
  await small.until(() => node.owns("0"));
  const opened: SmallServer[] = [];
  for (let index = 0; index < servers; index++) opened.push(await SmallServer.open(small));
  return { small, servers: opened };
}

function serverAt(servers: readonly SmallServer[], index: number): SmallServer {
  const server = servers[index];
  if (server === undefined) throw new Error(`there is no server ${index}`);
  return server;
}

test("[K28] a presence message has these bytes, and anything else is rejected", () => {
  const message: PresenceMessage = { gateway: 2n, isWhole: true, players: [ADA] };
  const bytes = encode(presenceCodec, message);
  expect(toHex(bytes)).toBe("010200000000000000010107ac0203416461c001ff0100000000007f");
  expect(decode(presenceCodec, bytes)).toEqual(message);
  for (let length = 0; length < bytes.length; length++)
    expect(codeOf(() => decode(presenceCodec, bytes.subarray(0, length)))).toBe("ORT_TRUNCATED");
  expect(codeOf(() => decode(presenceCodec, Uint8Array.from([...bytes, 0])))).toBe("ORT_TRAILING_BYTES");
  expect(codeOf(() => decode(presenceCodec, fromHex("02020000000000000001 00")))).toBe("ORT_VERSION");
  const twice = encode(presenceCodec, { ...message, players: [ADA, ADA] });
  expect(codeOf(() => decode(presenceCodec, twice))).toBe("ORT_MESSAGE");
});

test("[K28] players of two gateways see each other join, move and leave, but never themselves", async () => {
  const { small, servers } = await town(2);
  const ada = await serverAt(servers, 0).join(1n, "Ada");
  const bo = await serverAt(servers, 1).join(2n, "Bo");
  await small.until(() => ada.sight.length === 1 && bo.sight.length === 1);
  expect(ada.sync.entities[0]).toMatchObject({ isPlayer: true, id: 2n, name: "Bo" });
  bo.move(9);
  expect(await small.until(() => ada.sight[0]?.[1] === 9)).toBeLessThanOrEqual(300);
  bo.leave();
  expect(await small.until(() => ada.sight.length === 0)).toBeLessThanOrEqual(300);
  await small.pass(5_000);
  expect(ada.sight).toEqual([]);
  expect(serverAt(servers, 0).gateway.report.distantPlayers).toBe(0);
});

test("[K28] a player who leaves disappears even if a whole message is sent first", async () => {
  const { small } = await town(0);
  const received: number[] = [];
  await small.hub
    .connect()
    .listen(HOME, (bytes) => received.push(decode(presenceCodec, bytes).players.length));
  const { gateway } = await small.gateway();
  // A gateway sends whole messages from a second after it opened.
  await small.pass(960);
  gateway.world.peers?.present(1, { ...ADA, position: [2, 2, 2, 0] });
  await small.pass(20);
  gateway.world.peers?.gone(1);
  await small.pass(2_000);
  expect(received).toEqual([1, 0]);
});

test("[K28] a player who changes sectors stays the same entity to observers of both", async () => {
  const { small, servers } = await town(2);
  const ada = await serverAt(servers, 0).join(1n, "Ada", TWO_SECTORS);
  const bo = await serverAt(servers, 1).join(2n, "Bo");
  const cy = await serverAt(servers, 1).join(3n, "Cy");
  cy.move(70);
  await small.until(() => ada.sight.length === 2 && ada.sight.some(([, x]) => x === 70));
  const numbers = ada.sync.entities.map(({ number }) => number);
  // They swap sectors, so that both sectors lose and gain a player at once.
  bo.move(71);
  cy.move(3);
  await small.until(() => ada.sight.some(([, x]) => x === 71));
  expect(new Map(ada.sight)).toEqual(
    new Map([
      ["Bo", 71],
      ["Cy", 3],
    ]),
  );
  expect(ada.sync.entities.map(({ number }) => number).sort()).toEqual([...numbers].sort());
});

test("[K29] moving players are reported ten times a second, and standing players once", async () => {
  const { small, servers } = await town(1);
  const received: PresenceMessage[] = [];
  await small.hub.connect().listen(HOME, (bytes) => received.push(decode(presenceCodec, bytes)));
  const ada = await serverAt(servers, 0).join(1n, "Ada");
  const bo = await serverAt(servers, 0).join(2n, "Bo");
  await small.pass(1_000);
  received.length = 0;
  await small.pass(10_000);
  expect(received.map(({ isWhole, players }) => [isWhole, players.length])).toEqual(
    new Array(10).fill([true, 2]),
  );
  received.length = 0;
  for (let step = 0; step < 200; step++) {
    ada.move(step % 8);
    bo.move((step + 1) % 8);
    await small.pass(50);
  }
  expect(received.length).toBeLessThanOrEqual(111);
  expect(received.filter(({ isWhole }) => !isWhole).length).toBeGreaterThan(80);
});

test("[K29] a gateway listens only to sectors in the interests of its players", async () => {
  const { small, servers } = await town(2);
  const ada = await serverAt(servers, 0).join(1n, "Ada");
  const far = await serverAt(servers, 1).join(2n, "Bo", regionBox([40, 0, 0, 0]));
  far.move(650);
  await small.pass(2_000);
  expect(ada.sight).toEqual([]);
  expect(serverAt(servers, 0).gateway.report.distantPlayers).toBe(0);
  // A player whose interest moves away no longer sees the others, and sees them again when it returns.
  far.move(2);
  await small.until(() => ada.sight.length === 1);
  ada.sync.setInterest({ boxes: [regionBox([80, 0, 0, 0])], center: [0, 0, 0, 0] });
  await small.until(() => serverAt(servers, 0).gateway.report.distantPlayers === 0);
  ada.sync.setInterest({ boxes: [regionBox([0, 0, 0, 0])], center: [0, 0, 0, 0] });
  await small.until(() => ada.sight.length === 1);
});

test("[K30] players of a killed or disconnected gateway vanish within four seconds and return with it", async () => {
  const { small, servers } = await town(3);
  const ada = await serverAt(servers, 0).join(1n, "Ada");
  await serverAt(servers, 1).join(2n, "Bo");
  const cy = await serverAt(servers, 2).join(3n, "Cy");
  await small.until(() => ada.sight.length === 2);
  serverAt(servers, 1).kill();
  await small.pass(2_000);
  expect(ada.sight.length).toBe(2);
  await small.pass(2_200);
  expect(ada.sight.map(([name]) => name)).toEqual(["Cy"]);
  serverAt(servers, 2).backbone.partition = "both";
  await small.pass(4_200);
  expect([ada.sight, cy.sight]).toEqual([[], []]);
  serverAt(servers, 2).backbone.partition = "none";
  await small.until(() => ada.sight.length === 1 && cy.sight.length === 1);
});

test("[K30] a player who changes interest while the backbone is away sees others once it is back", async () => {
  const { small, servers } = await town(2);
  await serverAt(servers, 1).join(2n, "Bo");
  const ada = await serverAt(servers, 0).join(1n, "Ada", regionBox([90, 0, 0, 0]));
  serverAt(servers, 0).backbone.partition = "both";
  await small.pass(2_000);
  ada.sync.setInterest({ boxes: [regionBox([0, 0, 0, 0])], center: [0, 0, 0, 0] });
  await small.pass(2_000);
  serverAt(servers, 0).backbone.partition = "none";
  await small.until(() => ada.sight.length === 1);
});

test("[K30] players of a closing gateway vanish at once", async () => {
  const { small, servers } = await town(2);
  const ada = await serverAt(servers, 0).join(1n, "Ada");
  const bo = await serverAt(servers, 1).join(2n, "Bo");
  await small.until(() => ada.sight.length === 1);
  serverAt(servers, 1).gateway.close();
  expect(await small.until(() => ada.sight.length === 0)).toBeLessThanOrEqual(300);
  bo.move(5);
  await small.pass(2_000);
  expect(ada.sight).toEqual([]);
});

test("[K28] [K30] despite loss and delay, all players finally see who is there and where", async () => {
  const { small, servers } = await town(3);
  const prng = new Prng(11);
  const clients: { readonly name: string; readonly client: SmallClient; home: SmallServer | undefined }[] =
    [];
  for (let index = 0; index < 6; index++) {
    const home = serverAt(servers, index % 3);
    const name = `p${index}`;
    clients.push({ name, client: await home.join(BigInt(index + 1), name, TWO_SECTORS), home });
  }
  small.hub.faultPlan = { ...NO_ENGINE_FAULTS, delayMsMax: 150, deliveryLoss: 0.3 };
  for (let step = 0; step < 150; step++) {
    const player = prng.pick(clients);
    if (player.home === undefined) {
      player.home = prng.pick(servers);
      player.client.connect(player.home);
    } else if (prng.fraction() < 0.2) {
      player.client.leave();
      player.home = undefined;
    } else if (player.client.sync.phase === "joined") {
      player.client.move(prng.between(0, 127));
    }
    await small.pass(prng.between(10, 120));
  }
  small.hub.faultPlan = NO_ENGINE_FAULTS;
  await small.pass(12_000);
  const here = clients.filter(({ home }) => home !== undefined);
  expect(here.length).toBeGreaterThan(2);
  for (const { name, client } of here) {
    const others = here.filter((other) => other.name !== name);
    const stand = (other: (typeof others)[number]): number | undefined => other.home?.standing(other.name);
    expect(new Map(client.sight)).toEqual(new Map(others.map((other) => [other.name, stand(other)])));
  }
});

test("[K31] garbled messages, and those of another sector or with the listener's own mark, change nothing", async () => {
  const { small, servers } = await town(2);
  const own: PresenceMessage[] = [];
  const stranger = small.hub.connect();
  const listening = await stranger.listen(HOME, (bytes) => own.push(decode(presenceCodec, bytes)));
  const ada = await serverAt(servers, 0).join(1n, "Ada");
  await small.pass(1_500);
  listening.end();
  const marks = new Set(own.map(({ gateway }) => gateway));
  expect(marks.size).toBe(1);
  const send = (message: PresenceMessage): void => stranger.broadcast(HOME, encode(presenceCodec, message));
  const here = { ...ADA, position: [2, 2, 2, 0] as const };
  for (const gateway of marks) send({ gateway, isWhole: true, players: [{ ...here, session: 900 }] });
  send({ gateway: 5n, isWhole: true, players: [here, { ...here, session: 8, position: [99, 0, 0, 0] }] });
  const good = encode(presenceCodec, { gateway: 5n, isWhole: true, players: [here] });
  for (let length = 0; length < good.length; length++) stranger.broadcast(HOME, good.subarray(0, length));
  stranger.broadcast(HOME, Uint8Array.from([...good, 1]));
  stranger.broadcast(HOME, new Uint8Array(65_536).fill(255));
  await small.pass(200);
  expect(ada.sight).toEqual([]);
  stranger.broadcast(HOME, good);
  await small.pass(200);
  expect(ada.sight).toEqual([["Ada", 2]]);
});
