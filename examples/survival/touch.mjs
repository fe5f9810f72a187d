// Tells the systems where players have edited: what is there, or beside it, may have to move now.
import { above, below, besides } from "./places.mjs";

/** Returns a system that schedules ticks at and around each edit of a player: `kinds` are their delays in steps. */
export function touch(world, kinds) {
  const edited = [];
  world.onEdit(({ author, changes }) => {
    if (author !== undefined) for (const { position } of changes) edited.push(position);
  });
  return ({ schedule }) => {
    for (const place of edited.splice(0))
      for (const near of [place, above(place), below(place), ...besides(place)])
        for (const [kind, inSteps] of Object.entries(kinds)) schedule.add(near, kind, inSteps);
  };
}
