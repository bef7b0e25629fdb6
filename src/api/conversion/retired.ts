import { APPS } from "./apps/versions.js";
import { BATCH } from "./batch/v1beta1.js";
import { EXTENSIONS } from "./extensions/v1beta1.js";
import { NETWORKING } from "./networking/v1beta1.js";
import { POLICY } from "./policy/v1beta1.js";
import { AUTHORIZATION_BETA } from "./access-review.js";
import { ADMISSION_REGISTRATION } from "./admission-registration.js";
import { AUTOSCALING_BETAS } from "./autoscaling/retired.js";
import { CERTIFICATES_BETA } from "./certificate-request.js";
import { API_EXTENSIONS_BETA } from "./custom-resource-definition.js";
import { DISCOVERY_BETA } from "./endpoint-slice.js";
import { EVENTS_BETA } from "./event.js";
import { FLOW_CONTROL_BETAS } from "./priority-level.js";
import { RBAC_ALPHA } from "./rbac.js";
import { NODE_ALPHA } from "./runtime-class.js";
import type { VersionTable } from "./version-table.js";

/** Versions that 1.36 has types of and no longer serves. */
export const RETIRED: VersionTable = {
  ...APPS,
  ...BATCH,
  ...EXTENSIONS,
  ...NETWORKING,
  ...POLICY,
  ...ADMISSION_REGISTRATION,
  ...API_EXTENSIONS_BETA,
  ...AUTHORIZATION_BETA,
  ...AUTOSCALING_BETAS,
  ...CERTIFICATES_BETA,
  ...DISCOVERY_BETA,
  ...EVENTS_BETA,
  ...FLOW_CONTROL_BETAS,
  ...NODE_ALPHA,
  ...RBAC_ALPHA,
};
