import {
  type ClientWorld,
  type ConnectOptions,
  connect,
  createServer,
  createWorld,
  type GameMessages,
  MemoryDisk,
  type ServerOptions,
  type StandardSchema,
} from "orthant";
import { expect, onTestFinished, test } from "vitest";

interface Chat {
  readonly text: string;
}

interface Score {
  readonly points: number;
}

/** Takes the text of players without the spaces around it. */
function chat(value: unknown): Chat {
  const { text } = Object(value) as Partial<Chat>;
  if (typeof text !== "string") throw new Error("its text is missing");
  return { text: text.trim() };
}

/** As zod and its like make it. */
const score: StandardSchema<Score> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => {
      const { points } = Object(value) as Partial<Score>;
      if (typeof points === "number") return { value: { points } };
      return { issues: [{ message: "its points are not a number" }] };
    },
  },
};

const messages = { fromClient: chat, fromServer: score } satisfies GameMessages;

async function shared<Message, Sent>(options: Omit<ServerOptions<3, Message, Sent>, "world">) {
  const world = await createWorld(new MemoryDisk(), { dimensions: 3 });
  const server = await createServer({ world, tickMs: 10, logger: false, closeWorld: true, ...options });
  onTestFinished(() => server.close());
  return server;
}

async function joined<Sent, Received>(
  url: string,
  options: ConnectOptions<3, Sent, Received>,
): Promise<ClientWorld<3, Sent, Received>> {
  const client = await connect(url, { dimensions: 3, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** Returns the messages of all unhandled rejections from now on. */
function unhandled(): readonly string[] {
  const found: string[] = [];
  const before = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", (error) => found.push(String(error)));
  onTestFinished(() => {
    process.removeAllListeners("unhandledRejection");
    for (const listener of before) process.on("unhandledRejection", listener);
  });
  return found;
}

test("one definition of a game's messages checks what both sides send, before it goes out", async () => {
  const heard: string[] = [];
  const server = await shared({
    messages,
    rules: { onMessage: ({ message }) => void heard.push(message.text) },
  });
  const ada = await joined(server.url, { messages });
  const points: number[] = [];
  ada.onMessage((message) => points.push(message.points));
  expect(() => ada.send({ txt: "Hello" } as never)).toThrow(
    "ORT_ARGUMENT: message is an object; its text is missing",
  );
  expect(ada.send({ text: " Hello " })).toBe("sent");
  const wrong = { points: "three" } as never;
  const fault = "ORT_ARGUMENT: message is an object; its points are not a number";
  expect(() => server.broadcast(wrong)).toThrow(fault);
  expect(() => server.send(ada.playerId, wrong)).toThrow(fault);
  expect(server.broadcast({ points: 3 })).toBe(1);
  expect(server.send(ada.playerId, { points: 4 })).toBe("sent");
  await expect.poll(() => [heard, points]).toEqual([["Hello"], [3, 4]]);
});

test("a client's listener gets what the validator returns, and no message that it refuses, which is reported", async () => {
  const faults = unhandled();
  const server = await shared({});
  const ada = await joined(server.url, { messages });
  const heard: unknown[] = [];
  ada.onMessage((message) => heard.push(message));
  for (const message of [{ points: 1, more: true }, { text: "Hello" }, { points: 2 }])
    server.broadcast(message);
  await expect.poll(() => heard).toEqual([{ points: 1 }, { points: 2 }]);
  await expect
    .poll(() => faults)
    .toEqual([
      "OrthantError: ORT_MESSAGE: the server sent a message that is not one of the game: its points are not a number",
    ]);
});

test("a server with messages refuses those of clients that check nothing, and may say half of them", async () => {
  const heard: string[] = [];
  const onMessage = ({ message }: { readonly message: Chat }): void => void heard.push(message.text);
  const server = await shared({ messages: { fromClient: chat }, rules: { onMessage } });
  const ada = await joined(server.url, {});
  ada.send("text");
  ada.send({ text: "bye" });
  await expect.poll(() => heard).toEqual(["bye"]);
  expect(server.broadcast("anything")).toBe(1);
});

test("a server and a client refuse wrong validators, and a second one for the same messages", async () => {
  await expect(shared({ messages: { fromClient: 7 } as never })).rejects.toThrow(
    "messages.fromClient is 7 (a number); it is a function that returns the value or throws, or a Standard Schema",
  );
  await expect(connect("ws://127.0.0.1:1", { messages: { fromPlayers: chat } as never })).rejects.toThrow(
    "there is no field fromPlayers in messages; there are fromClient, fromServer",
  );
  await expect(shared({ messages, rules: { message: (value) => chat(value) } })).rejects.toThrow(
    "rules.message is a function; messages.fromClient checks the same messages: give one of them",
  );
  expect((await shared({ messages, rules: { message: chat } })).url).toMatch(/^ws:/);
});
