import {
  type ConnectOptions,
  connect,
  type SharedWorld,
  type Status,
  type StatusDetail,
  type WebSocketLike,
} from "@orthant/client";
import { indexedDbCache } from "@orthant/client/browser";
import {
  type Box,
  type Chunk,
  type Content,
  GeneratorRef,
  intersectBoxes,
  isOrthantError,
  type Position,
  positionsLexicographic,
  regionBox,
  regionsTouching,
  type Vector,
  type VoxelPlacement,
} from "@orthant/core";
import type { RegionNote } from "../message/from-world.ts";
import type { Other, SourceNumbers, WorldFacts } from "../message/world-facts.ts";

import { describeStatus } from "./describe-status.ts";
import type { EditAnswer, Sight, SourceEvents, ViewSource } from "./view-source.ts";

/** Bytes of edited content that a page can hold; it disconnects from a server that sends more. */
const HELD_BYTES_MAX: number = 512 * 1024 * 1024;
/** Bytes received between checks of the held content, which cannot be much larger than what arrived. */
const AUDIT_BYTES: number = 64 * 1024 * 1024;

/** Address of a shared world, and the visitor's credentials. */
export interface SharedAddress {
  readonly url: string;
  readonly token: string;
  readonly name: string;
}

/** A world on a server. */
export class SharedSource implements ViewSource {
  readonly #world: SharedWorld;
  readonly #events: SourceEvents;
  readonly #counts = { bytesIn: 0, bytesOut: 0, framesIn: 0 };
  #sight: Box | undefined;
  #auditedBytes = 0;
  #isTooMuch = false;

  constructor({ url, token, name }: SharedAddress, events: SourceEvents) {
    this.#events = events;
    const options: ConnectOptions = {
      name,
      ...(token !== "" && { token }),
      cache: indexedDbCache(`viewer ${url}`),
      socket: (address) => this.#countedSocket(address),
    };
    this.#world = connect(url, options);
    this.#world.onStatus((status, detail) => this.#tell(status, detail));
    this.#world.onChange(events.onChange);
    this.#world.onEntities(() => events.onOthers(this.#others()));
    events.onStatus(describeStatus("connecting", {}));
  }

  look({ chunks, center, motion }: Sight): void {
    this.#sight = chunks;
    // A client that is closed for good still shows its last state.
    if (this.#world.status !== "closed") this.#world.setInterest({ boxes: [chunks], center, motion });
  }

  chunkAt(position: Position): Chunk | undefined {
    return this.#world.chunkAt(position);
  }

  async edit(placements: readonly VoxelPlacement[]): Promise<EditAnswer> {
    try {
      const result = await this.#world.setVoxels(placements);
      return { refusal: result.outcome === "rejected" ? result.detail || result.reason : undefined };
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      return { refusal: error.detail };
    }
  }

  move(position: Vector, facing: Vector): void {
    if (this.#world.status !== "closed") this.#world.move({ position, orientation: facing });
  }

  async inspect(chunks: Box): Promise<readonly RegionNote[]> {
    const notes: RegionNote[] = [];
    for (const region of positionsLexicographic(regionsTouching(chunks))) {
      const clock = this.#world.clockOf(region);
      const box = intersectBoxes(regionBox(region), chunks);
      if (clock === undefined || box === undefined) continue;
      notes.push({ region, clock, isConcrete: await this.#isConcrete(box) });
    }
    return notes;
  }

  numbers(): SourceNumbers {
    return { ...this.#counts, ...this.#world.counts };
  }

  close(): Promise<void> {
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
    if (this.#sight === undefined) return;
    let held = 0;
    for (const region of positionsLexicographic(regionsTouching(this.#sight))) {
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
      text: "This world is more than a page can hold. It was let go.",
    });
  }

  #tell(status: Status, detail: StatusDetail): void {
    const events = this.#events;
    if (this.#isTooMuch) return;
    if (status === "joined") {
      events.onFacts(this.#facts());
      events.onOthers(this.#others());
    }
    events.onStatus(describeStatus(status, detail));
  }

  #facts(): WorldFacts {
    const { name, shape, catalog, pose, role } = this.#world;
    const origin = role === "viewer" ? "shared, to look at" : "shared";
    return {
      name,
      shape,
      blocks: catalog.blocks,
      begin: pose.position,
      canEdit: role !== "viewer",
      origin,
    };
  }

  #others(): readonly Other[] {
    return this.#world.entities.map(({ id, name, position, orientation, isPlayer }) => ({
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
