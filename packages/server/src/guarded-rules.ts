import type { HostRules } from "@orthant/protocol";

/** Wraps a game's rules: a rule that throws is reported and loses its effect, without harming the server. */
export function guardedRules(
  rules: HostRules,
  onError: (rule: keyof HostRules, error: unknown) => void,
): HostRules {
  const { onEdit, reaches, onMove, onMessage, onJoin, onLeave } = rules;
  const guard = <Result>(rule: keyof HostRules, call: () => Result, otherwise: Result): Result => {
    try {
      return call();
    } catch (error) {
      onError(rule, error);
      return otherwise;
    }
  };
  return {
    ...(onEdit && {
      onEdit: async (player, placements) => {
        try {
          return await onEdit(player, placements);
        } catch (error) {
          onError("onEdit", error);
          return "the rules of the game failed";
        }
      },
    }),
    ...(reaches && {
      reaches: (player, voxel) => guard("reaches", () => reaches(player, voxel), false),
    }),
    ...(onMove && {
      onMove: (player, wanted) => {
        const { position, orientation } = player;
        return guard("onMove", () => onMove(player, wanted), { position, orientation });
      },
    }),
    ...(onMessage && {
      onMessage: (player, payload) => guard("onMessage", () => onMessage(player, payload), undefined),
    }),
    ...(onJoin && { onJoin: (player) => guard("onJoin", () => onJoin(player), undefined) }),
    ...(onLeave && { onLeave: (player) => guard("onLeave", () => onLeave(player), undefined) }),
  };
}
