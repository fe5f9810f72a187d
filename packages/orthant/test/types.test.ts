import {
  box,
  type ClientWorld,
  chunkBox,
  connect,
  createServer,
  type Dimensions,
  type EditResult,
  type GameMessages,
  type GameRules,
  issueToken,
  openWorld,
  type Position,
  type VoxelWorld,
  type World,
} from "orthant";
import { expect, test } from "vitest";

// The build compiles this file. It fails when a line with @ts-expect-error compiles, and when another one does not.
// Nothing here runs: the worlds do not exist.

declare const flatland: World<2>;
declare const world: World<3>;
declare const client: ClientWorld<3>;
declare const someWorld: World;
declare const result: EditResult;

/** The messages of a game, for both sides. */
const messages = {
  fromClient: (value: unknown) => value as { readonly type: "chat"; readonly text: string },
  fromServer: (value: unknown) => value as { readonly type: "score"; readonly points: number },
} satisfies GameMessages;

/** Programs that are right. */
async function rightPrograms(): Promise<unknown> {
  const onBothSides = async (shared: VoxelWorld<3>): Promise<EditResult> => shared.set([0, 64, 0], 1);
  const corner: Position<3> = world.spawn;
  const onAnySide = (any: World): Dimensions => any.dimensions;
  const opened: World<2> = await openWorld("saves/tiles", { dimensions: 2 });
  const joined: ClientWorld<3> = await connect("ws://127.0.0.1:7440", { dimensions: 3 });
  const rules: GameRules<3> = { onMessage: ({ message }) => void (message satisfies unknown) };
  const server = await createServer({
    world,
    messages,
    rules: { onMessage: ({ message }) => void (message.text satisfies string) },
  });
  server.broadcast({ type: "score", points: 3 });
  const player = await connect("ws://127.0.0.1:7440", { dimensions: 3, messages });
  player satisfies ClientWorld<3>;
  player.send({ type: "chat", text: "Hello" });
  player.onMessage(({ points }) => void (points satisfies number));
  joined.send({ type: "anything" });
  await flatland.set([1, 2], 3);
  await world.fill(box([0, 0, 0], [1, 1, 1]), 1);
  await world.loadChunks(chunkBox([0, 0, 0], [1, 1, 1]));
  world.upsertPlayer({ playerId: 1n, name: "Ada", inventory: new Uint8Array(2) });
  if (result.status === "rejected") result.reason satisfies string;
  return [
    await onBothSides(world),
    await onBothSides(client),
    onAnySide(someWorld),
    await createServer({ world, rules }),
    corner,
    opened,
    joined,
  ];
}

/** Programs in which each marked line is wrong. */
async function wrongPrograms(): Promise<void> {
  // Units.
  // @ts-expect-error: chunks are not voxels
  await world.fill(chunkBox([0, 0, 0], [1, 1, 1]), 1);
  // @ts-expect-error: voxels are not chunks
  await world.loadChunks(box([0, 0, 0], [1, 1, 1]));
  // @ts-expect-error: a box says what its unit is
  await world.entitiesIn({ min: [0, 0, 0], max: [1, 1, 1] });
  // @ts-expect-error: an interest is in chunks
  await client.setInterest({ chunks: [box([0, 0, 0], [1, 1, 1])] });

  // Axes.
  // @ts-expect-error: two coordinates in a world of three dimensions
  await world.set([0, 64], 1);
  // @ts-expect-error: four coordinates in a world of three dimensions
  await world.set([0, 64, 0, 3], 1);
  // @ts-expect-error: the same for a client
  await client.get([0, 64, 0, 3]);
  // @ts-expect-error: corners with different numbers of coordinates
  box([0, 0], [1, 1, 1]);
  // @ts-expect-error: a box of two axes in a world of three
  await world.fill(box([0, 0], [1, 1]), 1);
  // @ts-expect-error: a world of two dimensions where one of three is wanted
  const solid: World<3> = flatland;
  // @ts-expect-error: the same for the shape of both sides
  const shared: VoxelWorld<3> = flatland;
  // @ts-expect-error: a spawn with too many coordinates
  flatland.moveSpawn([0, 0, 0]);

  // Ids, bytes and blocks.
  // @ts-expect-error: ids are bigints
  world.upsertPlayer({ playerId: 1 });
  // @ts-expect-error: ids are bigints
  world.entity(1);
  // @ts-expect-error: an inventory is bytes, not text
  world.upsertPlayer({ playerId: 1n, inventory: "sword" });
  // @ts-expect-error: a block is an id: world.blocks.id("stone")
  await world.set([0, 64, 0], "stone");
  // @ts-expect-error: ids are bigints
  await issueToken({ playerId: 1, role: "builder", expiresInSeconds: 60 }, { secret: "" });

  // Messages.
  const server = await createServer({ world, messages });
  const player = await connect("ws://127.0.0.1:7440", { dimensions: 3, messages });
  // @ts-expect-error: a message that clients do not send
  player.send({ type: "chat", txt: "Hello" });
  // @ts-expect-error: a message of the server
  player.send({ type: "score", points: 3 });
  // @ts-expect-error: the server sends no text
  player.onMessage(({ text }) => text);
  // @ts-expect-error: a message of clients
  server.broadcast({ type: "chat", text: "Hello" });
  // @ts-expect-error: points are a number
  server.send(1n, { type: "score", points: "three" });
  // @ts-expect-error: chat has no points
  await createServer({ world, messages, rules: { onMessage: ({ message }) => message.points } });
  // @ts-expect-error: a client that sends other messages
  const typed: ClientWorld<3, { readonly type: "chat" }> = client as ClientWorld<
    3,
    { readonly type: "score" }
  >;

  // Results.
  // @ts-expect-error: only a rejected edit has a reason
  result.reason satisfies string;
  // @ts-expect-error: a result is not a boolean to compare with
  if (result === true) return;
  // @ts-expect-error: voxelAt may not know the block
  const block: number = world.voxelAt([0, 64, 0]);
  // @ts-expect-error: a fourth number of dimensions does not exist
  await openWorld("saves/valley", { dimensions: 5 });
  return void [solid, shared, block, typed];
}

test("wrong units, axes and results do not compile, and right ones do", () => {
  // The expectations above are the test, and the compiler checks them.
  expect([rightPrograms, wrongPrograms]).toHaveLength(2);
});
