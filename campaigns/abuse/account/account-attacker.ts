import { once } from "node:events";
import { getPriority, setPriority } from "node:os";
import { ACCOUNT_ATTACKS } from "./account-attacks.ts";

// A process of its own that makes room for others: a real attacker has a machine of its own, and takes no processor
// time from the server and the honest clients.
const PRIORITY_BELOW_OTHERS = 5;

const [port, token, name, seconds] = process.argv.slice(2);
const attack = ACCOUNT_ATTACKS.find((each) => each.name === name);
if (attack === undefined) throw new Error(`there is no attack ${name}`);
setPriority(getPriority() + PRIORITY_BELOW_OTHERS);
process.send?.("ready");
await once(process, "message");
await attack.run({
  port: Number(port),
  token: token ?? "",
  endsAtMs: performance.now() + Number(seconds) * 1_000,
});
process.exit();
