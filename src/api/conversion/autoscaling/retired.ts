import { defaultHorizontalPodAutoscaler } from "../../defaults/autoscaling.js";
import { defaultAutoscalerV2beta1 } from "../../defaults/retired/autoscaling-v2beta1.js";
import type { VersionTable } from "../version-table.js";
import { autoscalerFromV2beta1, autoscalerToV2beta1 } from "./v2beta1.js";
import { autoscalerFromV2beta2, autoscalerToV2beta2 } from "./v2beta2.js";

export const AUTOSCALING_BETAS: VersionTable = {
  "autoscaling/v2beta1/HorizontalPodAutoscaler": {
    conversion: { toHub: autoscalerFromV2beta1, fromHub: autoscalerToV2beta1 },
    applyDefaults: defaultAutoscalerV2beta1,
  },
  "autoscaling/v2beta2/HorizontalPodAutoscaler": {
    conversion: { toHub: autoscalerFromV2beta2, fromHub: autoscalerToV2beta2 },
    applyDefaults: defaultHorizontalPodAutoscaler,
  },
};
