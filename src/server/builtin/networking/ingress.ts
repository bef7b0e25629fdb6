import type {
  Ingress,
  IngressRule,
  IngressClass,
  IngressClassParametersReference,
} from "../../../api/types/networking/v1.js";
import {
  ingressWarnings,
  validateIngress,
  validateIngressStatusUpdate,
  validateIngressUpdate,
} from "../../../api/validation/networking/ingress.js";
import { list, object, objects, type Received, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { warned, checked } from "../rules.js";
import { age, loadBalancerCell, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import { validateIngressClass, validateIngressClassUpdate } from "../../../api/validation/networking/ingress-class.js";
import { withDefaultMark } from "../storage/storage-class.js";

export const ingressRecord: RecordOf<Ingress> = {
  group: "networking.k8s.io",
  resource: "ingresses",
  storage: { prefix: "ingress" },
  strategy: {
    hasGeneration: true,
    ...warned(ingressWarnings),
    validate: validateIngress,
    validateUpdate: validateIngressUpdate,
    validateStatusUpdate: validateIngressStatusUpdate,
    columns: columns(
      [
        "Name",
        ["Class", "The class of the ingress, which says what controller serves it."],
        ["Hosts", "The first hosts that its rules are for; * for any."],
        ["Address", "The addresses of its load balancer."],
        ["Ports", "The ports that it listens on: 443 too where it has TLS."],
        "Age",
      ],
      (ingress, now) => {
        const spec = object(ingress.spec);
        return [
          name(ingress),
          spec.ingressClassName === undefined ? "<none>" : text(spec.ingressClassName),
          hostsCell(objects(spec.rules)),
          loadBalancerCell(object(ingress.status)),
          list(spec.tls).length > 0 ? "80, 443" : "80",
          age(ingress, now),
        ];
      },
    ),
  },
};

/** Counts the rules beyond the third host, with or without a host, as Kubernetes does. */
function hostsCell(rules: readonly Received<IngressRule>[]): string {
  const hosts: string[] = [];
  let more = false;
  for (const rule of rules) {
    if (hosts.length === 3) more = true;
    const host = text(rule.host);
    if (!more && host !== "") hosts.push(host);
  }
  if (hosts.length === 0) return "*";
  return more ? `${hosts.join(",")} + ${rules.length - 3} more...` : hosts.join(",");
}

export const ingressClassRecord: RecordOf<IngressClass> = {
  group: "networking.k8s.io",
  resource: "ingressclasses",
  strategy: {
    hasGeneration: true,
    ...checked(validateIngressClass, validateIngressClassUpdate),
    columns: columns(
      [
        "Name",
        ["Controller", "The controller that serves ingresses of the class."],
        ["Parameters", "The object that configures the controller further."],
        "Age",
      ],
      (ingressClass, now) => {
        const spec = object(ingressClass.spec);
        return [
          withDefaultMark(ingressClass, ["ingressclass.kubernetes.io/is-default-class"]),
          text(spec.controller),
          parametersCell(spec.parameters),
          age(ingressClass, now),
        ];
      },
    ),
  },
};

function parametersCell(parameters: Received<IngressClassParametersReference> | null | undefined): string {
  if (parameters === undefined) return "<none>";
  const { kind, apiGroup, name: target } = object(parameters);
  return `${text(kind)}${apiGroup === undefined ? "" : `.${text(apiGroup)}`}/${text(target)}`;
}
