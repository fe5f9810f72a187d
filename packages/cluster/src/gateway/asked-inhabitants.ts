import {
  type Box,
  OrthantError,
  type Position,
  PositionMap,
  positionsLexicographic,
  regionsTouching,
} from "@orthant/core";
import type { VisibleEntity } from "@orthant/protocol";
import { ENTITY_REGIONS_MAX } from "../shard/inhabitant-message.ts";
import { type Ask, OwnerLine, type OwnerLineSetting } from "./owner-line.ts";

interface Asked {
  readonly region: Position;
  readonly answer: Promise<readonly VisibleEntity[]>;
  readonly resolve: (entities: readonly VisibleEntity[]) => void;
}

/** Regions that may wait for an answer at once. */
const ASKED_MAX = 65_536;

/** Asks owners for the entities of their regions. */
export class AskedInhabitants {
  readonly #line: OwnerLine<Asked>;
  readonly #asked = new PositionMap<Asked>();

  constructor(options: OwnerLineSetting) {
    this.#line = new OwnerLine<Asked>({
      ...options,
      batchMax: ENTITY_REGIONS_MAX,
      shardOf: ({ region }) => options.directory.shardOf(region),
      send: (items, ask) => this.#send(items, ask),
    });
  }

  /**
   * Returns the entities in a box of chunks once all owners have answered. Throws `ORT_LIMIT` if too many
   * regions wait already.
   */
  async in(chunks: Box): Promise<readonly VisibleEntity[]> {
    const regions = [...positionsLexicographic(regionsTouching(chunks))];
    if (this.#asked.size + regions.length > ASKED_MAX)
      throw new OrthantError("ORT_LIMIT", `owners have not answered about ${this.#asked.size} regions`);
    return (await Promise.all(regions.map((region) => this.#ask(region)))).flat();
  }

  /** Stops asking. */
  close(): void {
    this.#line.close();
  }

  #ask(region: Position): Promise<readonly VisibleEntity[]> {
    const known = this.#asked.get(...region);
    if (known !== undefined) return known.answer;
    let resolve: Asked["resolve"] = () => undefined;
    const answer = new Promise<readonly VisibleEntity[]>((fulfil) => {
      resolve = fulfil;
    });
    const asked = { region, answer, resolve };
    this.#asked.set(...region, asked);
    this.#line.add(asked);
    return answer;
  }

  async #send(items: readonly Asked[], ask: Ask): Promise<readonly Asked[]> {
    const answer = await ask({ kind: "entities", regions: items.map(({ region }) => region) });
    if (answer.kind !== "entities" || answer.answers.length !== items.length) return items;
    return items.filter(({ region, resolve }, index) => {
      const told = answer.answers[index];
      if (told?.kind !== "here") return true;
      this.#asked.delete(...region);
      resolve(told.entities);
      return false;
    });
  }
}
