import type { Account } from "../../host/host-options.ts";
import type { Hello } from "../../message/client-message.ts";

/** Who is expected to say hello from inside the process: only those are let in without a token. */
export class ExpectedPlayers {
  readonly #accounts = new Map<bigint, Account>();

  /** Expects a player under an id that nobody else can guess. */
  expect(clientId: bigint, account: Account): void {
    this.#accounts.set(clientId, account);
  }

  /** Nobody comes under that id any more. */
  forget(clientId: bigint): void {
    this.#accounts.delete(clientId);
  }

  /** Who says hello; `undefined` for anybody else. */
  accountOf({ clientId }: Hello): Account | undefined {
    return this.#accounts.get(clientId);
  }
}
