import type { ServiceCIDR } from "../../../api/types/networking/v1.js";
import { validateServiceCidr, validateServiceCidrUpdate } from "../../../api/validation/networking/cluster-network.js";
import type { FieldFilter } from "../../../machinery/apply/field-filter.js";
import { list, object, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

const every: FieldFilter = (set) => set;

export const serviceCidrRecord: RecordOf<ServiceCIDR> = {
  group: "networking.k8s.io",
  resource: "servicecidrs",
  strategy: {
    validate: validateServiceCidr,
    validateUpdate: validateServiceCidrUpdate,
    // pkg/registry of 1.36 lists the filters under a group that does not exist.
    resetFields: { "": every },
    columns: columns(["Name", ["CIDRs", "The blocks that addresses of services come from."], "Age"], (cidr, now) => [
      name(cidr),
      list(object(cidr.spec).cidrs).map(text).join(","),
      age(cidr, now),
    ]),
  },
};
