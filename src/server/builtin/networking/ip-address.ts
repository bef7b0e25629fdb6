import type { IPAddress, ParentReference } from "../../../api/types/networking/v1.js";
import { validateIpAddress, validateIpAddressUpdate } from "../../../api/validation/networking/cluster-network.js";
import { object, type Received, text } from "../../../machinery/meta/received.js";
import { ipErrors } from "../../../machinery/validation/ip.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { checked } from "../rules.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

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
