import type { Lease } from "../../../api/types/coordination/v1.js";
import { validateLease } from "../../../api/validation/coordination/lease.js";
import { object, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { checked } from "../rules.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import type { LeaseCandidate } from "../../../api/types/coordination/v1beta1.js";
import { validateLeaseCandidate, validateLeaseCandidateUpdate } from "../../../api/validation/coordination/lease.js";
import { configMapKeyErrors } from "../../../machinery/validation/names.js";

export const leaseRecord: RecordOf<Lease> = {
  group: "coordination.k8s.io",
  resource: "leases",
  strategy: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    ...checked(validateLease),
    columns: columns(["Name", ["Holder", "The identity of the present holder."], "Age"], (lease, now) => [
      name(lease),
      text(object(lease.spec).holderIdentity),
      age(lease, now),
    ]),
  },
};

export const leaseCandidateRecord: RecordOf<LeaseCandidate> = {
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
    columns: columns(
      [
        "Name",
        ["LeaseName", "The lease that it is a candidate for."],
        ["BinaryVersion", "The version of the candidate's program."],
        ["EmulationVersion", "The version that the program behaves as."],
        "Age",
      ],
      (candidate, now) => {
        const spec = object(candidate.spec);
        return [
          name(candidate),
          text(spec.leaseName),
          text(spec.binaryVersion),
          text(spec.emulationVersion),
          age(candidate, now),
        ];
      },
    ),
  },
};
