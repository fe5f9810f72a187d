// Who players are: a name belongs to the one who took it first, with a password.
import { randomBytes, scryptSync } from "node:crypto";
import type { World } from "orthant";
import { read } from "./things.ts";

interface Account {
  readonly id: number;
  readonly name: string;
  readonly salt: string;
  readonly hash: string;
}

/** Returns the account of a name, which is made if it is new; `undefined` for a wrong password or an impossible name. */
export async function logIn(world: World<3>, name: string, password: string): Promise<Account | undefined> {
  if (!/^\w{2,16}$/.test(name)) return undefined;
  const fresh = randomBytes(16).toString("hex");
  return world.transaction(async ({ store }) => {
    const key = `account/${name.toLowerCase()}`;
    const known = await read<Account | undefined>(store, key, undefined);
    const salt = known?.salt ?? fresh;
    const hash = scryptSync(password, salt, 32).toString("hex");
    if (known !== undefined) return known.hash === hash ? known : undefined;
    const account = { id: (await read(store, "accounts", 0)) + 1, name, salt, hash };
    store.set("accounts", account.id);
    store.set(key, account);
    return account;
  });
}
