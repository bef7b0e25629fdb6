import { ADMISSION_ALPHA } from "./admission-bindings.js";
import { AUTOSCALING } from "./autoscaling/published.js";
import { EVENTS } from "./event.js";
import { RESOURCE_BETA } from "./resource/v1beta1.js";
import type { VersionTable } from "./version-table.js";

/** Versions that 1.36 serves, by default or when asked to. */
export const PUBLISHED: VersionTable = {
  ...ADMISSION_ALPHA,
  ...AUTOSCALING,
  ...EVENTS,
  ...RESOURCE_BETA,
};
