import type { NetworkPolicy } from "../../../api/types/networking/v1.js";
import {
  networkPolicyWarnings,
  validateNetworkPolicy,
  validateNetworkPolicyUpdate,
} from "../../../api/validation/networking/network-policy.js";
import { object } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { warned } from "../rules.js";
import { age, name, selectorCell } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const networkPolicyRecord: RecordOf<NetworkPolicy> = {
  group: "networking.k8s.io",
  resource: "networkpolicies",
  strategy: {
    hasGeneration: true,
    ...warned(networkPolicyWarnings),
    validate: validateNetworkPolicy,
    validateUpdate: validateNetworkPolicyUpdate,
    columns: columns(["Name", ["Pod-Selector", "The labels of the pods that it is for."], "Age"], (policy, now) => [
      name(policy),
      selectorCell(object(policy.spec).podSelector ?? {}),
      age(policy, now),
    ]),
  },
};
