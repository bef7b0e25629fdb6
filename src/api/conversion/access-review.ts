import type { Conversion } from "../../machinery/scheme/registration.js";
import { renameFields } from "./rename-fields.js";
import type { VersionTable } from "./version-table.js";
import { withChild } from "./with-child.js";

/** authorization.k8s.io/v1beta1 calls the list of a subject's groups "group". */
const conversion: Conversion = {
  toHub: (review) => withChild(review, "spec", (spec) => renameFields(spec, { group: "groups" })),
  fromHub: (review) => withChild(review, "spec", (spec) => renameFields(spec, { groups: "group" })),
};

export const AUTHORIZATION_BETA: VersionTable = {
  "authorization.k8s.io/v1beta1/SubjectAccessReview": { conversion },
  "authorization.k8s.io/v1beta1/LocalSubjectAccessReview": { conversion },
};
