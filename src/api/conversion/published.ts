import { eventFromCore, eventToCore } from "./event.js";
import { autoscalerFromV2, autoscalerToV2 } from "./horizontal-pod-autoscaler.js";
import type { VersionTable } from "./version-table.js";

/** Versions that 1.36 serves, by default or when asked to. */
export const PUBLISHED: VersionTable = {
  "autoscaling/v1/HorizontalPodAutoscaler": { conversion: { toHub: autoscalerToV2, fromHub: autoscalerFromV2 } },
  "events.k8s.io/v1/Event": { hub: "v1/Event", conversion: { toHub: eventToCore, fromHub: eventFromCore } },
};
