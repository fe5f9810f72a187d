import { cubeAt, encode, encodeUtf8, type Position } from "@orthant/core";
import { clientFrameCodec } from "@orthant/protocol";
import { issueToken } from "@orthant/server";
import { expectEqual, expectSoon } from "./attack.ts";
import { edit, verdictsOn } from "./edit-messages.ts";
import { helloOf, interestOf } from "./hostile-frames.ts";
import { Prowler, randomId, type Target } from "./prowler.ts";
import { AUDIENCE, SECRET } from "./siege-plan.ts";

/** Replays a client's messages: during its connection, after it, and as another player. */
export async function replay(target: Target): Promise<void> {
  const clientId = randomId();
  const victim = await Prowler.join(target, { clientId });
  const voxel: Position = [40, 40, 40, 40];
  const first = edit(1, voxel, 1);
  victim.say(first, edit(2, voxel, 2));
  await expectSoon("both verdicts", verdictsOn(victim, 2));
  const recorded = [
    encode(clientFrameCodec, { acknowledged: 0, applied: 0, messages: [helloOf(clientId)] }),
    encode(clientFrameCodec, { acknowledged: 0, applied: 0, messages: [first] }),
  ];
  const thief = await Prowler.connect(target);
  for (const frame of recorded.slice(0, 1)) thief.send(frame);
  await expectSoon("the victim's goodbye", victim.closed);
  expectEqual("the goodbye", victim.goodbye?.reason, "replaced");
  await expectSoon(
    "a welcome",
    thief.heard(({ kind }) => kind === "welcome"),
  );
  thief.say(interestOf(1, [cubeAt([5, 5, 5, 5], 1)]), first);
  await expectSoon("the old verdict", verdictsOn(thief, 1));
  // An edit is made once, even if another connection sends it again.
  const observer = await Prowler.join(target);
  observer.say(edit(1, voxel, 2));
  await expectSoon("a verdict", verdictsOn(observer, 1));
  const result = observer.messages.flatMap((message) =>
    message.kind === "editResults" ? message.results : [],
  )[0];
  expectEqual("the voxel's last edit", result?.outcome, "unchanged");
  observer.end();
  // Knowing a client's id does not give access, and old frame numbers are invalid on a new connection.
  const claims = { playerId: randomId(), role: "builder", expiresInSeconds: 60 } as const;
  const token = encodeUtf8(await issueToken(claims, { secret: SECRET, audience: AUDIENCE }));
  const other = await Prowler.join(target, { clientId, token });
  await expectSoon("closing", other.closed);
  expectEqual("the goodbye", other.goodbye?.reason, "credentials");
  thief.send(encode(clientFrameCodec, { acknowledged: 5_000, applied: 4_000, messages: [] }));
  await expectSoon("closing", thief.closed);
  expectEqual("the goodbye", thief.goodbye?.reason, "malformed");
}
