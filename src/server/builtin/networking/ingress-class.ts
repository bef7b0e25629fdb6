import type { IngressClass, IngressClassParametersReference } from "../../../api/types/networking/v1.js";
import { validateIngressClass, validateIngressClassUpdate } from "../../../api/validation/networking/ingress-class.js";
import { object, type Received, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { checked } from "../rules.js";
import { withDefaultMark } from "../storage/storage-class.js";
import { age } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

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
