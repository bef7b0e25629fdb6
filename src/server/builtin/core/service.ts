import type { ServerGates } from "../../../api/gates/feature-gates.js";
import type { Service, ServicePort, ServiceSpec, ServiceStatus } from "../../../api/types/core/v1.js";
import { validateServiceStatusUpdate, validateServiceUpdate } from "../../../api/validation/service/service-update.js";
import { serviceStatusWarnings, serviceWarnings } from "../../../api/validation/service/service-warnings.js";
import { validateService } from "../../../api/validation/service/service.js";
import { ensureChild, list, number, object, objects, type Received, text } from "../../../machinery/meta/received.js";
import { dns1035LabelErrors, dns1123LabelErrors } from "../../../machinery/validation/names.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, labelsCell, loadBalancerCell, name, orNone } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import { serviceProxy } from "./proxies.js";
import { allocateService, releaseService } from "./services/service-allocation.js";
import { alignClusterIps, dropOfOldType, keepAllocated } from "./services/service-changes.js";

/** Without RelaxedServiceNameValidation a name begins with a letter (K37-071). */
const serviceNameErrors = (name: string, gates: ServerGates): readonly string[] =>
  gates.enabled("RelaxedServiceNameValidation") ? dns1123LabelErrors(name) : dns1035LabelErrors(name);

export const serviceRecord: RecordOf<Service> = {
  group: "",
  resource: "services",
  storage: { prefix: "services/specs" },
  subresources: { proxy: { connecter: serviceProxy } },
  strategy: {
    prepareForCreate(draft) {
      const spec = ensureChild(draft, "spec");
      draft.status = { loadBalancer: {} };
      alignClusterIps(spec, undefined);
    },
    prepareForUpdate(draft, old) {
      const spec = ensureChild(draft, "spec");
      const before = object(old.spec);
      keepAllocated(spec, before);
      alignClusterIps(spec, before);
      dropOfOldType(spec, before);
      // The load balancer is removed later; from now on the status sends no client to it.
      if (spec.type !== "LoadBalancer") draft.status = { ...object(draft.status), loadBalancer: {} };
    },
    allocate: allocateService,
    afterDelete: releaseService,
    validate: (service) => validateService(service),
    validateUpdate: validateServiceUpdate,
    validateStatusUpdate: validateServiceStatusUpdate,
    warningsOnCreate: serviceWarnings,
    warningsOnUpdate: serviceWarnings,
    warningsOnStatusUpdate: serviceStatusWarnings,
    validateName: serviceNameErrors,
    allowCreateOnUpdate: true,
    fieldLabels: ["spec.clusterIP", "spec.type"],
    fields(service) {
      const spec = object(service.spec);
      return { "spec.clusterIP": text(spec.clusterIP), "spec.type": text(spec.type) };
    },
    columns: columns(
      [
        "Name",
        [
          "Type",
          "How the service is reached: inside the cluster, by a port of each node, by a load balancer, or as a DNS alias.",
        ],
        ["Cluster-IP", "Its first address inside the cluster; None for a headless service."],
        ["External-IP", "Its addresses outside the cluster, or the name that it is an alias of."],
        ["Port(s)", "Its ports, with those of the nodes, and their protocols."],
        "Age",
        ["Selector:string:1", "The labels of the pods that it leads to."],
      ],
      (service, now) => {
        const spec = object(service.spec);
        return [
          name(service),
          text(spec.type),
          list(spec.clusterIPs).length > 0 ? text(list(spec.clusterIPs)[0]) : "<none>",
          externalIp(spec, object(service.status)),
          orNone(objects(spec.ports).map(portCell).join(",")),
          age(service, now),
          labelsCell(spec.selector),
        ];
      },
    ),
  },
};

function externalIp(spec: Received<ServiceSpec>, status: Received<ServiceStatus>): string {
  const external = list(spec.externalIPs).map(text);
  const type: string = text(spec.type);
  switch (type) {
    case "ClusterIP":
    case "NodePort":
      return orNone(external.join(","));
    case "LoadBalancer": {
      const assigned = loadBalancerCell(status);
      const all = [...(assigned === "" ? [] : [assigned]), ...external];
      return all.length === 0 ? "<pending>" : all.join(",");
    }
    case "ExternalName":
      return text(spec.externalName);
    default:
      return "<unknown>";
  }
}

function portCell(port: Received<ServicePort>): string {
  const nodePort = number(port.nodePort);
  return `${number(port.port)}${nodePort > 0 ? `:${nodePort}` : ""}/${text(port.protocol)}`;
}
