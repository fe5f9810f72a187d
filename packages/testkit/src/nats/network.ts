import { execFileSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Which of a member's packets arrive: `mute` loses what it sends, `deaf` what it receives. */
export type LinkState = "up" | "down" | "mute" | "deaf";

/** Where the processes of a test run, and how to cut one of them off. */
export interface Network {
  /** Returns the address of a member. */
  address(member: number): string;
  /** Returns the prefix for that member's commands. */
  prefix(member: number): readonly string[];
  freePort(): Promise<number>;
  /** Cuts a member off from all others, in one direction or both, or reconnects it. */
  setLink(member: number, state: LinkState): void;
  dispose(): void;
}

/** All members share this machine's addresses. None can be cut off. */
export const LOOPBACK: Network = {
  address: () => "127.0.0.1",
  prefix: () => [],
  freePort: unusedPort,
  setLink: () => {
    throw new Error("a link can only be cut in a network of namespaces");
  },
  dispose: () => undefined,
};

/** Whether this machine allows us to create networks, which needs root and iproute2. */
export function canMakeNetworks(): boolean {
  return canInNamespace(() => undefined);
}

/** Whether members can also be made mute and deaf, which needs a queue that not every kernel has. */
export function canLoseOneWay(): boolean {
  return canInNamespace((name) => run("tc", "-n", name, "qdisc", "add", "dev", "lo", ...LOSE_ALL));
}

function canInNamespace(attempt: (name: string) => void): boolean {
  const name = `orthant-try-${randomInt(2 ** 32)}`;
  try {
    run("ip", "netns", "add", name);
  } catch {
    // Not root, or no iproute2: the caller reports what it leaves out.
    return false;
  }
  try {
    attempt(name);
    return true;
  } catch {
    return false;
  } finally {
    run("ip", "netns", "delete", name);
  }
}

/** A queue into which no packet fits: a device loses what it would send, but not what it receives. */
const LOSE_ALL = ["root", "tbf", "rate", "8bit", "burst", "1", "limit", "1"];

/**
 * A network namespace for each member, all on one bridge that includes this process. Names and addresses are
 * random, so that two tests do not collide.
 */
export class NamespaceNetwork implements Network {
  readonly #members: number;
  readonly #name: string;
  readonly #subnet: string;
  readonly #states = new Map<number, LinkState>();
  #nextPort = 4222;

  constructor(members: number) {
    this.#members = members;
    const number = randomInt(64 * 256);
    this.#name = `orth${number}`;
    this.#subnet = `10.${64 + (number % 64)}.${Math.floor(number / 64)}`;
    run("ip", "link", "add", this.#name, "type", "bridge");
    run("ip", "address", "add", `${this.#subnet}.254/24`, "dev", this.#name);
    run("ip", "link", "set", this.#name, "up");
    for (let member = 0; member < members; member++) this.#addMember(member);
  }

  address(member: number): string {
    return `${this.#subnet}.${member + 1}`;
  }

  /** The address of this process, which is on the bridge itself. */
  get ownAddress(): string {
    return `${this.#subnet}.254`;
  }

  prefix(member: number): readonly string[] {
    return ["ip", "netns", "exec", this.#namespace(member)];
  }

  freePort(): Promise<number> {
    return Promise.resolve(this.#nextPort++);
  }

  setLink(member: number, state: LinkState): void {
    const before = this.#states.get(member) ?? "up";
    this.#states.set(member, state);
    if (before === state) return;
    if (before !== "up") this.#setFault(member, before, false);
    if (state !== "up") this.#setFault(member, state, true);
  }

  dispose(): void {
    for (let member = 0; member < this.#members; member++) {
      // Deleting only the namespace would remove it a moment later, so the next network could find the name
      // taken.
      run("ip", "link", "delete", this.#bridgeEnd(member));
      run("ip", "netns", "delete", this.#namespace(member));
    }
    run("ip", "link", "delete", this.#name);
  }

  #setFault(member: number, fault: Exclude<LinkState, "up">, isOn: boolean): void {
    if (fault === "down") {
      run("ip", "link", "set", this.#bridgeEnd(member), isOn ? "down" : "up");
      return;
    }
    // A device loses what it sends: the member's own loses its output, the bridge's loses its input.
    const isInside = fault === "mute";
    const device = isInside ? "eth0" : this.#bridgeEnd(member);
    const change = isOn ? ["add", "dev", device, ...LOSE_ALL] : ["delete", "dev", device, "root"];
    run("tc", ...(isInside ? ["-n", this.#namespace(member)] : []), "qdisc", ...change);
  }

  #addMember(member: number): void {
    const namespace = this.#namespace(member);
    const inside = (...parameters: readonly string[]): void => run("ip", "-n", namespace, ...parameters);
    run("ip", "netns", "add", namespace);
    run(
      "ip",
      "link",
      "add",
      this.#bridgeEnd(member),
      "type",
      "veth",
      "peer",
      "name",
      "eth0",
      "netns",
      namespace,
    );
    run("ip", "link", "set", this.#bridgeEnd(member), "master", this.#name, "up");
    inside("address", "add", `${this.address(member)}/24`, "dev", "eth0");
    inside("link", "set", "eth0", "up");
    inside("link", "set", "lo", "up");
  }

  #namespace(member: number): string {
    return `${this.#name}-${member}`;
  }

  #bridgeEnd(member: number): string {
    return `${this.#name}v${member}`;
  }
}

function unusedPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

function run(command: string, ...parameters: readonly string[]): void {
  execFileSync(command, parameters, { stdio: ["ignore", "ignore", "pipe"] });
}
