// Who players are: a name belongs to the one who took it first, with a password.
import { randomBytes, scryptSync } from "node:crypto";
import type { World } from "orthant";
import { read } from "./things.ts";

/** Returns the id of a player, a new one for a new name; `undefined` for a wrong password or an impossible name. */
export async function logIn(world: World<3>, name: string, password: string): Promise<number | undefined> {
  if (!/^\w{2,16}$/.test(name)) return undefined;
  const fresh = { id: 0, salt: randomBytes(16).toString("hex"), hash: "" };
  return world.transaction(async ({ store }) => {
    const { id, salt, hash } = await read(store, `account/${name}`, fresh);
    const given = scryptSync(password, salt, 32).toString("hex");
    if (id !== 0) return given === hash ? id : undefined;
    const next = (await read(store, "accounts", 0)) + 1;
    store.set("accounts", next);
    store.set(`account/${name}`, { id: next, salt, hash: given });
    return next;
  });
}
