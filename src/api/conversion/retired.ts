import { APPS } from "./apps/versions.js";
import { BATCH } from "./batch/v1beta1.js";
import { EXTENSIONS } from "./extensions/v1beta1.js";
import { NETWORKING } from "./networking/v1beta1.js";
import { POLICY } from "./policy/v1beta1.js";
import { ADMISSION_REGISTRATION } from "./admission-registration.js";
import { AUTOSCALING_BETAS } from "./autoscaling/retired.js";
import { CERTIFICATES_BETA } from "./certificate-request.js";
import { API_EXTENSIONS_BETA } from "./custom-resource-definition.js";
import { DISCOVERY_BETA } from "./endpoint-slice.js";
import { EVENTS_BETA } from "./event.js";
import { FLOW_CONTROL_BETAS } from "./priority-level.js";
import { RBAC_ALPHA } from "./rbac.js";
import type { VersionTable } from "./version-table.js";
import type { Conversion } from "../../machinery/scheme/scheme.js";
import { renameFields, withChild, compact } from "./copies.js";
import { object } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** authorization.k8s.io/v1beta1 calls the list of a subject's groups "group". */
const conversion: Conversion = {
  toHub: (review) => withChild(review, "spec", (spec) => renameFields(spec, { group: "groups" })),
  fromHub: (review) => withChild(review, "spec", (spec) => renameFields(spec, { groups: "group" })),
};

const AUTHORIZATION_BETA: VersionTable = {
  "authorization.k8s.io/v1beta1/SubjectAccessReview": { conversion },
  "authorization.k8s.io/v1beta1/LocalSubjectAccessReview": { conversion },
};

/** node.k8s.io/v1alpha1 has a spec, whose fields lie at the top from v1beta1 on. */
const NODE_ALPHA: VersionTable = {
  "node.k8s.io/v1alpha1/RuntimeClass": { conversion: { toHub: runtimeClassFromAlpha, fromHub: runtimeClassToAlpha } },
};

function runtimeClassFromAlpha({ spec, ...runtimeClass }: KubeObject): KubeObject {
  const { runtimeHandler, overhead, scheduling } = object(spec);
  return { ...runtimeClass, ...compact({ handler: runtimeHandler, overhead, scheduling }) };
}

function runtimeClassToAlpha({ handler, overhead, scheduling, ...runtimeClass }: KubeObject): KubeObject {
  return { ...runtimeClass, spec: compact({ runtimeHandler: handler, overhead, scheduling }) };
}

/** The versions that Kubernetes 1.36 has types of and no longer serves. */
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
