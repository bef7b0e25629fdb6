import type { IPAddress, ParentReference, ServiceCIDR } from "../../../api/types/networking/v1.js";
import {
  validateIpAddress,
  validateIpAddressUpdate,
  validateServiceCidr,
  validateServiceCidrUpdate,
} from "../../../api/validation/networking/cluster-network.js";
import { object, type Received, text, list } from "../../../machinery/meta/received.js";
import { ipErrors } from "../../../machinery/validation/ip.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { checked } from "../rules.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import type { FieldFilter } from "../../../machinery/apply/field-filter.js";

export const ipAddressRecord: RecordOf<IPAddress> = {
  group: "networking.k8s.io",
  resource: "ipaddresses",
  strategy: {
    ...checked(validateIpAddress, validateIpAddressUpdate),
    validateName: ipErrors,
    columns: columns(["Name", ["ParentRef", "The object that the address is allocated to."]], (address, now) => {
      const parent = object(address.spec).parentRef;
      // kube-apiserver of 1.36 sends the age without a column for it.
      return [name(address), parent === undefined ? "<none>" : parentCell(object(parent)), age(address, now)];
    }),
  },
};

function parentCell(parent: Received<ParentReference>): string {
  const group = text(parent.group);
  const resource = (group === "" ? text(parent.resource) : `${text(parent.resource)}.${group}`).toLowerCase();
  return [resource, text(parent.namespace), text(parent.name)].filter((part) => part !== "").join("/");
}

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
