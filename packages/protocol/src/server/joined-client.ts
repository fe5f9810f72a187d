import type { Hello } from "../message/client-message.ts";
import { FEATURES } from "../message/limits.ts";
import type { Account } from "./account.ts";
import { PendingBlocks } from "./blocks/block-feed.ts";
import type { PlayerBudget } from "./budget/player-budget.ts";
import type { DecidedEdit, EditQueue } from "./edits/edit-queue.ts";
import { SessionPlayer } from "./entities/session-player.ts";
import type { Agreement } from "./handshake.ts";
import type { ClientRequests, OperationClient, OperationDesk } from "./operations/operation-desk.ts";
import { PendingAnswers } from "./operations/pending-answers.ts";
import { EditResultQueue, GameQueue, PendingEntities } from "./pending-messages.ts";
import type { Member } from "./regions/audience.ts";
import { ClientRegions } from "./regions/client-regions.ts";
import { RegionSender } from "./regions/region-sender.ts";
import type { ServerContext } from "./server-context.ts";

/** Who joins, and on which terms. */
interface Admission {
  readonly hello: Hello;
  readonly account: Account;
  readonly agreement: Agreement;
  readonly budget: PlayerBudget;
  readonly network: string | undefined;
}

/** What the server keeps of a client from the join on. */
export interface JoinedClient {
  readonly account: Account;
  readonly agreement: Agreement;
  readonly budget: PlayerBudget;
  readonly player: SessionPlayer;
  readonly regions: ClientRegions;
  readonly sender: RegionSender;
  readonly entities: PendingEntities;
  readonly results: EditResultQueue;
  readonly blocks: PendingBlocks;
  readonly game: GameQueue;
  readonly edits: EditQueue;
  readonly onDecided: (decided: DecidedEdit) => void;
  /** Requests about operations; `undefined` if the client knows none. */
  readonly operations: JoinedOperations | undefined;
}

/** What the server keeps of a client that knows operations. */
class JoinedOperations {
  readonly client: OperationClient;
  readonly answers: PendingAnswers;
  readonly #desk: OperationDesk;
  #requests: ClientRequests | undefined;

  constructor(desk: OperationDesk, client: OperationClient, wake: () => void) {
    this.#desk = desk;
    this.client = client;
    this.answers = new PendingAnswers(client.limits, wake);
  }

  /** The client's requests, from the first one on: most clients have none. */
  get requests(): ClientRequests {
    if (this.#requests === undefined) {
      this.#requests = this.#desk.open(this.client);
      this.#requests.attach(this.answers);
    }
    return this.#requests;
  }

  /** Handles the end of the connection. */
  end(nowMs: number): void {
    this.#requests?.detach(this.answers, nowMs);
  }
}

/** Puts the player into the world and prepares what the client will receive. Its edits are not attached yet. */
export function joinedClient(
  context: ServerContext,
  member: Member,
  admission: Admission,
  nowMs: number,
): JoinedClient {
  const { hello, account, agreement, budget } = admission;
  const player = new SessionPlayer(context, account, nowMs);
  const regions = new ClientRegions(context, member, agreement, budget);
  const results = new EditResultQueue();
  const knowsOperations = (agreement.featureBits & FEATURES.operations) !== 0n;
  const sender = new RegionSender(context, regions, knowsOperations, nowMs);
  // The client may be sent regions before its first tick.
  sender.startTick(true);
  return {
    account,
    agreement,
    budget,
    player,
    regions,
    sender,
    entities: new PendingEntities(regions),
    results,
    blocks: new PendingBlocks(context.blocksFor(agreement.featureBits)),
    game: new GameQueue(),
    edits: context.editQueues.open(hello.clientId),
    onDecided: (decided) => {
      if (decided.result.status === "applied") player.remember();
      results.add(decided);
      member.wake();
    },
    operations: knowsOperations ? joinedOperations(context, member, admission, player) : undefined,
  };
}

function joinedOperations(
  { operations, options }: ServerContext,
  member: Member,
  { hello: { clientId }, account, budget, network }: Admission,
  player: SessionPlayer,
): JoinedOperations {
  const limits = options.readOnly === true ? undefined : options.operations?.[account.role];
  const client = { clientId, account, network, limits, budget, player: () => player.player };
  return new JoinedOperations(operations, client, () => member.wake());
}
