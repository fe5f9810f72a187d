import type { Box } from "@orthant/core";
import {
  bool,
  type Codec,
  constant,
  list,
  oneOf,
  option,
  perAxis,
  record,
  string,
  variants,
  varUint,
} from "@orthant/core/bytes";
import { type AxisName, OPERATION_CLIPBOARDS_MAX, type Plane, type TurnStep } from "@orthant/core/operations";
import { counterCodec } from "./codecs.ts";
import { voxelBoxCodec } from "./edit-codec.ts";
import {
  DETAIL_BYTES_MAX,
  OPERATION_BYTES_MAX,
  OPERATION_LABEL_BYTES_MAX,
  OPERATIONS_LISTED_MAX,
  TURN_STEPS_MAX,
} from "./limits.ts";
import { OPERATION_LIMIT_NAMES, type OperationLimits } from "./operation-limits.ts";
import type {
  CancelOperation,
  ExceededLimit,
  ListedOperation,
  OperationAnswer,
  OperationMessage,
  OperationOutcome,
  OperationProgressMessage,
  OperationRefusal,
  OperationRequest,
  OperationTerms,
  SentClipboard,
} from "./operation-message.ts";

const PLANES: readonly Plane[] = ["xy", "xz", "xw", "yz", "yw", "zw"];
const AXES: readonly AxisName[] = ["x", "y", "z", "w"];
/** All steps, in the order of their tags: each plane with one to three quarter turns, then the mirrors. */
const STEPS: readonly TurnStep[] = [
  ...PLANES.flatMap((rotate) => [1, 2, 3].map((turns) => ({ rotate, turns }))),
  ...AXES.map((mirror) => ({ mirror })),
];

const stepCodec: Codec<TurnStep> = {
  write(out, step) {
    const tag = STEPS.findIndex((known) =>
      "mirror" in step
        ? "mirror" in known && known.mirror === step.mirror
        : "rotate" in known && known.rotate === step.rotate && known.turns === step.turns,
    );
    out.tag(tag, STEPS.length);
  },
  read: (input) => STEPS[input.tag(STEPS.length)] as TurnStep,
};

const textCodec = string(OPERATION_BYTES_MAX);

/** Rules N63 to N65 in docs/formats/protocol.md. */
const requestCodec = variants<OperationRequest>({
  apply: record({
    kind: constant("apply"),
    text: textCodec,
    clipboards: list(
      record<SentClipboard>({ clipboardId: counterCodec, steps: list(stepCodec, TURN_STEPS_MAX) }),
      OPERATION_CLIPBOARDS_MAX,
    ),
    isDry: bool,
    isConfirmed: bool,
  }),
  copy: record({ kind: constant("copy"), selection: textCodec }),
  release: record({ kind: constant("release"), clipboardId: counterCodec }),
  undo: record({ kind: constant("undo"), entryId: varUint }),
  redo: record({ kind: constant("redo"), entryId: varUint }),
  list: record({ kind: constant("list") }),
});

/** A request about operations. Rule N63 in docs/formats/protocol.md. */
export const operationCodec: Codec<OperationMessage> = {
  write(out, { requestId, openRequestId, isRepeat, request }) {
    counterCodec.write(out, requestId);
    // Checks that it is not above the request.
    out.varUint(requestId - openRequestId);
    bool.write(out, isRepeat);
    requestCodec.write(out, request);
  },
  read(input) {
    const requestId = counterCodec.read(input);
    const behind = input.varUint();
    if (behind >= requestId)
      throw input.fail("ORT_MESSAGE", `request ${requestId} and ${behind} before it, but they count from 1`);
    const isRepeat = input.bool();
    return {
      kind: "operation",
      requestId,
      openRequestId: requestId - behind,
      isRepeat,
      request: requestCodec.read(input),
    };
  },
};

/** A request to cancel another one. Rule N63 in docs/formats/protocol.md. */
export const cancelOperationCodec: Codec<CancelOperation> = record({
  kind: constant("cancelOperation"),
  requestId: counterCodec,
});

const exceededCodec: Codec<readonly ExceededLimit[]> = list(
  record<ExceededLimit>({ limit: oneOf(OPERATION_LIMIT_NAMES), value: varUint, max: varUint }),
  OPERATION_LIMIT_NAMES.length,
);

const boxCodec: Codec<Box> = voxelBoxCodec;

/** Rule N66 in docs/formats/protocol.md. */
const outcomeCodec = variants<OperationOutcome>({
  done: record({
    kind: constant("done"),
    status: oneOf<"applied" | "unchanged" | "planned">(["applied", "unchanged", "planned"]),
    count: varUint,
    kept: varUint,
    box: option(boxCodec),
    entryId: varUint,
    work: varUint,
    exceeded: exceededCodec,
  }),
  copied: record({ kind: constant("copied"), clipboardId: counterCodec, extents: perAxis(counterCodec) }),
  released: record({ kind: constant("released") }),
  listed: record({
    kind: constant("listed"),
    operations: list(
      record<ListedOperation>({
        entryId: counterCodec,
        text: string(OPERATION_LABEL_BYTES_MAX),
        count: varUint,
        box: boxCodec,
        timeMs: varUint,
        undone: varUint,
      }),
      OPERATIONS_LISTED_MAX,
    ),
  }),
  refused: record({
    kind: constant("refused"),
    reason: oneOf<OperationRefusal>([
      "role",
      "limit",
      "confirm",
      "cancelled",
      "vetoed",
      "operation",
      "unknown",
      "forgotten",
      "world",
    ]),
    detail: string(DETAIL_BYTES_MAX),
    exceeded: exceededCodec,
  }),
});

/** How far a request is. Rule N63 in docs/formats/protocol.md. */
export const operationProgressCodec: Codec<OperationProgressMessage> = record({
  kind: constant("operationProgress"),
  requestId: counterCodec,
  done: varUint,
  total: varUint,
});

/** The answer to a request. Rule N66 in docs/formats/protocol.md. */
export const operationAnswerCodec: Codec<OperationAnswer> = record({
  kind: constant("operationAnswer"),
  requestId: counterCodec,
  outcome: outcomeCodec,
});

const limitsCodec: Codec<OperationLimits> = {
  write(out, limits) {
    for (const name of OPERATION_LIMIT_NAMES) out.varUint(limits[name]);
  },
  read: (input) =>
    Object.fromEntries(
      OPERATION_LIMIT_NAMES.map((name) => [name, input.varUint()]),
    ) as unknown as OperationLimits,
};

/** What a player may do with operations. Rule N62 in docs/formats/protocol.md. */
export const operationTermsCodec: Codec<OperationTerms> = record({
  kind: constant("operationTerms"),
  limits: option(limitsCodec),
});
