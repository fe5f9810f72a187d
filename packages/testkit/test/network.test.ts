import { type ChildProcess, spawn } from "node:child_process";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { canLoseOneWay, type LinkState, NamespaceNetwork } from "@orthant/testkit/nats";
import { expect, test } from "vitest";

const PORT = 5_000;
/** Reports what it receives on the network over its process channel, and sends the text it gets there. */
const MEMBER = `
  const socket = require("node:dgram").createSocket("udp4");
  socket.on("message", (text) => process.send({ received: String(text) }));
  process.on("message", ({ text, to }) => socket.send(text, ${PORT}, to, () => process.send({ said: text })));
  socket.bind(${PORT}, process.argv[1], () => process.send({ said: "ready" }));
`;

type News = { readonly received: string } | { readonly said: string };

/** This process and one member, each with everything that it received. */
class Pair {
  readonly network: NamespaceNetwork = new NamespaceNetwork(1);
  readonly heardHere: string[] = [];
  readonly receivedThere: string[] = [];
  readonly #socket: Socket = createSocket("udp4");
  readonly #member: ChildProcess;
  readonly #said: string[] = [];

  constructor() {
    const [program = "", ...parameters] = this.network.prefix(0);
    const command = [...parameters, process.execPath, "-e", MEMBER, this.network.address(0)];
    this.#member = spawn(program, command, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#member.on("message", (news: News) => {
      if ("received" in news) this.receivedThere.push(news.received);
      else this.#said.push(news.said);
    });
    this.#socket.on("message", (text) => this.heardHere.push(String(text)));
    this.#socket.bind(PORT, this.network.ownAddress);
  }

  whenReady(): Promise<void> {
    return this.#until(this.#said, "ready");
  }

  /** Makes both send to each other. Resolves when everything that can arrive in this state has arrived. */
  async say(text: string, state: LinkState): Promise<void> {
    this.network.setLink(0, state);
    this.#member.send({ text, to: this.network.ownAddress });
    await this.#until(this.#said, text);
    await new Promise((resolve) => this.#socket.send(text, PORT, this.network.address(0), resolve));
    if (state === "up" || state === "deaf") await this.#until(this.heardHere, text);
    if (state === "up" || state === "mute") await this.#until(this.receivedThere, text);
  }

  async dispose(): Promise<void> {
    const closed = once(this.#member, "close");
    this.#member.kill("SIGKILL");
    await closed;
    this.#socket.close();
    this.network.dispose();
  }

  async #until(texts: readonly string[], text: string): Promise<void> {
    while (!texts.includes(text))
      await Promise.race([once(this.#member, "message"), once(this.#socket, "message")]);
  }
}

// Needs root and iproute2, which CI has.
test.skipIf(!canLoseOneWay())("a member can be made mute and deaf, and be reconnected", async () => {
  const pair = new Pair();
  try {
    await pair.whenReady();
    await pair.say("first", "up");
    await pair.say("mute", "mute");
    await pair.say("deaf", "deaf");
    // What is lost does not arrive later: this would arrive after it.
    await pair.say("last", "up");
    expect(pair.heardHere).toEqual(["first", "deaf", "last"]);
    expect(pair.receivedThere).toEqual(["first", "mute", "last"]);
  } finally {
    await pair.dispose();
  }
});
