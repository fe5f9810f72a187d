import { indexedDbCache } from "@orthant/client/browser";
import {
  connectReplica,
  type ReplicaOptions,
  type Status,
  type StatusDetail,
  type WebSocketLike,
  type WorldReplica,
} from "@orthant/client/replica";
import { type BlockPlacement, type Box, type EditResult, isOrthantError, type Vector } from "@orthant/core";
import { GeneratorRef } from "@orthant/core/generate";
import { intersectBoxes, positionsLexicographic, regionBox, regionsTouching } from "@orthant/core/lattice";
import type { Content } from "@orthant/core/tree";
import type { SceneSource } from "@orthant/worker-pool/browser";
import type { SourceBuilder } from "../edit/source-builder.ts";
import type { DrawnEntity, RegionInfo, SourceNumbers, WorldFacts, WorldStatus } from "../message/messages.ts";
import { enginePlacement } from "./engine-placement.ts";
import { skyFacts } from "./sky-facts.ts";
import type { SourceEvents, ViewInterest, ViewSource } from "./view-source.ts";

/** Bytes of edited content that a page can hold; it disconnects from a server that sends more. */
const HELD_BYTES_MAX: number = 512 * 1024 * 1024;
/** Bytes received between checks of the held content, which cannot be much larger than what arrived. */
const AUDIT_BYTES: number = 64 * 1024 * 1024;

/** Between two pictures of what moves. */
const PICTURE_MS = 16;
/** How long something may go on moving after the last news: longer than a client shows what is past. */
const SETTLED_MS = 1_500;

/** Address of a shared world, and the visitor's credentials. */
interface SharedAddress {
  readonly url: string;
  readonly token: string;
  readonly name: string;
}

/** A world on a server. */
export class SharedSource implements ViewSource {
  readonly #world: WorldReplica;
  readonly #events: SourceEvents;
  readonly #counts = { bytesIn: 0, bytesOut: 0, framesIn: 0 };
  #chunks: Box | undefined;
  #auditedBytes = 0;
  #isTooMuch = false;
  /** Shows what moves between the poses that arrive, until nothing moves. */
  #pictures: ReturnType<typeof setInterval> | undefined;
  #newsMs = 0;

  constructor({ url, token, name }: SharedAddress, events: SourceEvents) {
    this.#events = events;
    const options: ReplicaOptions = {
      name,
      // A page waits for its server as long as it is open, and shows that it does.
      timeoutMs: Number.POSITIVE_INFINITY,
      ...(token !== "" && { token }),
      cache: indexedDbCache(`viewer ${url}`),
      socket: (address) => this.#countedSocket(address),
    };
    this.#world = connectReplica(url, options);
    this.#world.onStatus((status, detail) => this.#showStatus(status, detail));
    this.#world.onChange(events.onChange);
    this.#world.onBlocks(() => events.onFacts(this.#facts()));
    this.#world.onEntities(() => this.#follow());
    events.onStatus(describeStatus("connecting", {}));
  }

  setInterest({ chunks, center, motion }: ViewInterest): void {
    this.#chunks = chunks;
    // A client that is closed for good still shows its last state.
    if (this.#world.status !== "closed") this.#world.setInterest({ boxes: [chunks], center, motion });
  }

  get chunks(): SceneSource {
    return this.#world.chunks;
  }

  async edit(placements: readonly BlockPlacement<4>[]): Promise<EditResult> {
    try {
      return await this.#world.setVoxels(placements.map(enginePlacement));
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      return { status: "rejected", reason: "world", detail: error.detail };
    }
  }

  move(position: Vector, facing: Vector): void {
    if (this.#world.status !== "closed") this.#world.move({ position, orientation: facing });
  }

  async inspect(chunks: Box): Promise<readonly RegionInfo[]> {
    const notes: RegionInfo[] = [];
    for (const region of positionsLexicographic(regionsTouching(chunks))) {
      const clock = this.#world.clockOf(region);
      const box = intersectBoxes(regionBox(region), chunks);
      if (clock === undefined || box === undefined) continue;
      notes.push({ region, clock, isConcrete: await this.#isConcrete(box) });
    }
    return notes;
  }

  async builder(): Promise<SourceBuilder | undefined> {
    if (this.#world.operationLimits === undefined) return undefined;
    const { replicaBuilder } = await import("../edit/replica-builder.ts");
    return replicaBuilder(this.#world);
  }

  numbers(): SourceNumbers {
    return { ...this.#counts, ...this.#world.counts };
  }

  close(): Promise<void> {
    this.#stopPictures();
    return this.#world.close();
  }

  async #isConcrete(chunks: Box): Promise<boolean> {
    return (await this.#contentOf(chunks)).some((content) => !(content instanceof GeneratorRef));
  }

  /** Returns the content that the client holds of a box. */
  async #contentOf(chunks: Box): Promise<readonly Content[]> {
    try {
      const tree = await this.#world.region(chunks, "symbolic");
      return [...tree.pieces()].map(({ content }) => content);
    } catch (error) {
      // The region left the interest in the meantime.
      if (isOrthantError(error)) return [];
      throw error;
    }
  }

  /** Disconnects from a server that sends more than a page can hold. */
  async #audit(): Promise<void> {
    this.#auditedBytes = this.#counts.bytesIn;
    if (this.#chunks === undefined) return;
    let held = 0;
    for (const region of positionsLexicographic(regionsTouching(this.#chunks))) {
      if (this.#world.clockOf(region) === undefined) continue;
      for (const content of await this.#contentOf(regionBox(region))) {
        if (!(content instanceof GeneratorRef)) held += content.byteLength;
      }
    }
    if (held <= HELD_BYTES_MAX) return;
    this.#isTooMuch = true;
    await this.#world.close();
    this.#events.onStatus({
      kind: "failed",
      text: "This world is more than a page can hold. It was closed.",
    });
  }

  #showStatus(status: Status, detail: StatusDetail): void {
    const events = this.#events;
    if (this.#isTooMuch) return;
    if (status === "joined") {
      events.onFacts(this.#facts());
      this.#follow();
    }
    events.onStatus(describeStatus(status, detail));
  }

  #facts(): WorldFacts {
    const { name, shape, catalog, pose, spawn, role } = this.#world;
    const origin = role === "viewer" ? "shared, to look at" : "shared";
    return {
      name,
      shape,
      blocks: catalog.types,
      begin: pose.position,
      isReturn: pose.position.some((at, axis) => at !== spawn[axis]),
      canEdit: role !== "viewer",
      origin,
      ...skyFacts(this.#world.chunks),
    };
  }

  #follow(): void {
    this.#newsMs = this.#world.nowMs();
    this.#events.onEntities(this.#entities());
    this.#pictures ??= setInterval(() => {
      this.#events.onEntities(this.#entities());
      if (this.#world.nowMs() - this.#newsMs > SETTLED_MS) this.#stopPictures();
    }, PICTURE_MS);
  }

  #stopPictures(): void {
    clearInterval(this.#pictures);
    this.#pictures = undefined;
  }

  #entities(): readonly DrawnEntity[] {
    return this.#world.entitiesAt().map(({ id, name, position, orientation, isPlayer }) => ({
      id: `${isPlayer ? "player" : "entity"} ${id}`,
      name,
      position,
      facing: orientation,
      isPlayer,
    }));
  }

  #countedSocket(address: string): WebSocketLike {
    const socket = new WebSocket(address);
    const counts = this.#counts;
    socket.addEventListener("message", ({ data }) => {
      if (!(data instanceof ArrayBuffer)) return;
      counts.bytesIn += data.byteLength;
      counts.framesIn++;
      if (counts.bytesIn - this.#auditedBytes > AUDIT_BYTES) void this.#audit();
    });
    const send = socket.send.bind(socket);
    socket.send = (data) => {
      if (data instanceof Uint8Array) counts.bytesOut += data.byteLength;
      send(data);
    };
    return socket as WebSocketLike;
  }
}

/** Describes the state of a client's connection for people. */
function describeStatus(status: Status, { error, goodbye, retryInMs }: StatusDetail): WorldStatus {
  switch (status) {
    case "connecting":
      return { kind: "connecting", text: "Connecting …" };
    case "joined":
      return { kind: "ready", text: "" };
    case "waiting": {
      const seconds = Math.max(1, Math.round((retryInMs ?? 0) / 1000));
      const why = goodbye?.detail || "The connection was lost.";
      return { kind: "offline", text: `Offline. ${sentence(why)} Trying again in ${seconds} s.` };
    }
    case "closed":
      if (error?.code === "ORT_VERSION") {
        return { kind: "outdated", text: "This page and the server do not fit together. Reload the page." };
      }
      if (error?.code === "ORT_CREDENTIALS") {
        const why = sentence(goodbye?.detail ?? "");
        return { kind: "refused", text: `The server lets in only those who have a token. ${why}`.trim() };
      }
      return { kind: "refused", text: `The server ended the visit. ${sentence(error?.detail ?? "")}`.trim() };
  }
}

function sentence(text: string): string {
  if (text === "") return "";
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
