import type { Hello } from "../../message/client-message.ts";
import type { Account } from "../../server/sync-server-options.ts";

/** Players expected to say hello from inside the process. Only they may join without a token. */
export class ExpectedPlayers {
  readonly #accounts = new Map<bigint, Account>();

  /** Expects a player under an unguessable id. */
  expect(clientId: bigint, account: Account): void {
    this.#accounts.set(clientId, account);
  }

  /** Stops expecting a player. */
  forget(clientId: bigint): void {
    this.#accounts.delete(clientId);
  }

  /** Returns the account that a hello belongs to, or `undefined` if it is not expected. */
  accountOf({ clientId }: Hello): Account | undefined {
    return this.#accounts.get(clientId);
  }
}
