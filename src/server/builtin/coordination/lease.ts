import type { Lease } from "../../../api/types/coordination/v1.js";
import { validateLease } from "../../../api/validation/coordination/lease.js";
import { object, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { checked } from "../rules.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

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
