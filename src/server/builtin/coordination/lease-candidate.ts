import { validateLeaseCandidate, validateLeaseCandidateUpdate } from "../../../api/validation/lease-candidate.js";
import { object, text } from "../../../machinery/meta/access.js";
import { configMapKeyErrors } from "../../../machinery/validation/names.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";

export const leaseCandidateRecord: ResourceRecord = {
  group: "coordination.k8s.io",
  resource: "leasecandidates",
  strategy: {
    allowUnconditionalUpdate: false,

    allowCreateOnUpdate: true,
    validateName: configMapKeyErrors,
    validate: validateLeaseCandidate,
    validateUpdate: validateLeaseCandidateUpdate,
    fieldLabels: ["spec.leaseName"],
    fields: (candidate) => ({ "spec.leaseName": text(object(candidate.spec).leaseName) }),
  },
};
