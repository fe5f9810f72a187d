import { type Box, OrthantError, type Position } from "@orthant/core";
import { PositionMap, positionsLexicographic, regionsTouching } from "@orthant/core/engine";
import type { VisibleEntity } from "@orthant/protocol";
import { ENTITY_REGIONS_MAX } from "../shard/owner-messages.ts";
import { OwnerQueue, type OwnerQueueContext, type SendRequest } from "./owner-queue.ts";

interface WaitingRegion {
  readonly region: Position;
  readonly answer: Promise<readonly VisibleEntity[]>;
  readonly resolve: (entities: readonly VisibleEntity[]) => void;
}

/** Regions that may wait for an answer at once. */
const WAITING_MAX = 65_536;

/** Asks owners for the entities of their regions. */
export class EntityQueries {
  readonly #queue: OwnerQueue<WaitingRegion>;
  readonly #waiting = new PositionMap<WaitingRegion>();

  constructor(options: OwnerQueueContext) {
    this.#queue = new OwnerQueue<WaitingRegion>({
      ...options,
      batchMax: ENTITY_REGIONS_MAX,
      shardOf: ({ region }) => options.directory.shardOf(region),
      send: (items, request) => this.#send(items, request),
    });
  }

  /**
   * Returns the entities in a box of chunks once all owners have answered. Throws `ORT_LIMIT` if too many
   * regions wait already.
   */
  async in(chunks: Box): Promise<readonly VisibleEntity[]> {
    const regions = [...positionsLexicographic(regionsTouching(chunks))];
    if (this.#waiting.size + regions.length > WAITING_MAX)
      throw new OrthantError("ORT_LIMIT", `owners have not answered about ${this.#waiting.size} regions`);
    return (await Promise.all(regions.map((region) => this.#query(region)))).flat();
  }

  /** Stops asking. */
  close(): void {
    this.#queue.close();
  }

  #query(region: Position): Promise<readonly VisibleEntity[]> {
    const known = this.#waiting.get(...region);
    if (known !== undefined) return known.answer;
    let resolve: WaitingRegion["resolve"] = () => undefined;
    const answer = new Promise<readonly VisibleEntity[]>((fulfil) => {
      resolve = fulfil;
    });
    const waiting = { region, answer, resolve };
    this.#waiting.set(...region, waiting);
    this.#queue.add(waiting);
    return answer;
  }

  async #send(items: readonly WaitingRegion[], request: SendRequest): Promise<readonly WaitingRegion[]> {
    const answer = await request({ kind: "entities", regions: items.map(({ region }) => region) });
    if (answer.kind !== "entities" || answer.answers.length !== items.length) return items;
    return items.filter(({ region, resolve }, index) => {
      const found = answer.answers[index];
      if (found?.kind !== "here") return true;
      this.#waiting.delete(...region);
      resolve(found.entities);
      return false;
    });
  }
}
