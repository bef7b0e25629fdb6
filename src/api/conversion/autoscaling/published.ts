import { defaultHorizontalPodAutoscaler, defaultMinReplicas } from "../../defaults/autoscaling.js";
import type { VersionTable } from "../version-table.js";
import { withoutRoundTripAnnotations } from "./round-trip-annotations.js";
import { autoscalerFromV1, autoscalerToV1 } from "./v1.js";

export const AUTOSCALING: VersionTable = {
  "autoscaling/v1/HorizontalPodAutoscaler": {
    conversion: { toHub: autoscalerFromV1, fromHub: autoscalerToV1 },
    // The default metric is not here: only the conversion knows whether an annotation has others.
    applyDefaults: defaultMinReplicas,
  },
  "autoscaling/v2/HorizontalPodAutoscaler": {
    conversion: { toHub: withoutRoundTripAnnotations, fromHub: withoutRoundTripAnnotations },
    applyDefaults: defaultHorizontalPodAutoscaler,
  },
};
