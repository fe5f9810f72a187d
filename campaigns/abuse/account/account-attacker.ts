import { ACCOUNT_ATTACKS } from "./account-attacks.ts";

// A process of its own, so that its work does not slow the honest clients down that are measured beside it.

const [port, token, name, seconds] = process.argv.slice(2);
const attack = ACCOUNT_ATTACKS.find((each) => each.name === name);
if (attack === undefined) throw new Error(`there is no attack ${name}`);
await attack.run({
  port: Number(port),
  token: token ?? "",
  endsAtMs: performance.now() + Number(seconds) * 1_000,
});
process.exit();
