import type {
  Container,
  ContainerPort,
  PodSpec,
  PodTemplateSpec,
  ServicePort,
  ServiceSpec,
} from "../api/types/core/v1.js";
import type { LabelSelector, LabelSelectorRequirement } from "../api/types/meta/v1.js";
import type { FieldsOf } from "../machinery/meta/received.js";
import { list, number, object, objects, text } from "../machinery/meta/access.js";
import type { GroupKind } from "../machinery/meta/gvk.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { podTemplateOf } from "./pod-template.js";

// What a service needs to know of the object it is made for.

const EXPOSABLE = new Set([
  "ReplicationController",
  "Service",
  "Pod",
  "Deployment.apps",
  "ReplicaSet.apps",
  "Deployment.extensions",
  "ReplicaSet.extensions",
]);

const qualified = ({ group, kind }: GroupKind): string => (group === "" ? kind : `${kind}.${group}`);

/** Throws for a kind that runs no pods a service could send to, in kubectl's words. */
export function requireExposable(kind: GroupKind): void {
  if (!EXPOSABLE.has(qualified(kind))) throw new Error(`cannot expose a ${qualified(kind)}`);
}

type Labels = Readonly<Record<string, string>>;

/** The labels of the pods that an object selects. Throws where it has no selector, or one with other operators than equality. */
export function podLabelsOf(exposed: KubeObject): Labels {
  const { selector }: FieldsOf<ServiceSpec> = object(exposed["spec"]);
  switch (text(exposed.kind)) {
    case "ReplicationController":
      return object(selector) as Labels;
    case "Pod":
      return nonEmpty(exposed.metadata?.labels, "the pod has no labels and cannot be exposed");
    case "Service":
      if (selector === undefined) throw new Error("the service has no pod selector set");
      return object(selector) as Labels;
    default: {
      const { matchLabels, matchExpressions }: FieldsOf<LabelSelector> = object(selector);
      const message = `invalid ${text(exposed.kind).toLowerCase()}: no selectors, therefore cannot be exposed`;
      const labels = nonEmpty(object(matchLabels) as Labels, message);
      if (list(matchExpressions).length > 0) throw inexpressible(objects(matchExpressions));
      return labels;
    }
  }
}

function nonEmpty(labels: Labels | undefined, message: string): Labels {
  if (labels === undefined || Object.keys(labels).length === 0) throw new Error(message);
  return labels;
}

/** Go's %+v of what was found. */
function inexpressible(expressions: ReturnType<typeof objects>): Error {
  const shown = expressions.map(
    ({ key, operator, values }: FieldsOf<LabelSelectorRequirement>) =>
      `{Key:${text(key)} Operator:${text(operator)} Values:[${list(values).join(" ")}]}`,
  );
  return new Error(`couldn't convert expressions - "[${shown.join(" ")}]" to map-based selector format`);
}

export interface ExposedPort {
  readonly port: number;
  /** In the order they are stated; TCP where none is. */
  readonly protocols: readonly string[];
}

/** Collects the ports of a service, or of all containers of its pods, each once. */
export function exposedPorts(exposed: KubeObject, kind: GroupKind): readonly ExposedPort[] {
  const ports = new Map<number, string[]>();
  for (const [port, protocol] of statedPorts(exposed, kind)) ports.set(port, [...(ports.get(port) ?? []), protocol]);
  return [...ports].map(([port, protocols]) => ({ port, protocols }));
}

function statedPorts(exposed: KubeObject, kind: GroupKind): readonly (readonly [port: number, protocol: string])[] {
  if (kind.kind === "Service") {
    const { ports }: FieldsOf<ServiceSpec> = object(exposed["spec"]);
    return objects(ports).map((one: FieldsOf<ServicePort>) => statedPort(one.port, one.protocol));
  }
  const { spec }: FieldsOf<PodTemplateSpec> = podTemplateOf(kind, exposed) ?? {};
  const { containers }: FieldsOf<PodSpec> = object(spec);
  return objects(containers).flatMap(({ ports }: FieldsOf<Container>) =>
    objects(ports).map((one: FieldsOf<ContainerPort>) => statedPort(one.containerPort, one.protocol)),
  );
}

const statedPort = (port: unknown, protocol: unknown): readonly [port: number, protocol: string] => [
  number(port),
  text(protocol) || "TCP",
];
