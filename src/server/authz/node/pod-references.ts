import { secretNamesOf } from "../../../api/pods/secret-names.js";
import { absent, object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { keyOf } from "./keys.js";

const MIRROR = "kubernetes.io/config.mirror";

/**
 * The keys of the objects that the node of a pod may read because of the pod: the pod itself, and its account, secrets,
 * config maps, volume claims and resource claims. A mirror pod, which a kubelet makes, gives its node nothing.
 */
export function referencesOf(pod: KubeObject): readonly string[] {
  const { name = "", namespace = "", annotations = {} } = pod.metadata ?? {};
  const keys = new Set([keyOf("pods", namespace, name)]);
  if (Object.hasOwn(annotations, MIRROR)) return [...keys];
  const add = (resource: string, referenced: unknown): void => {
    if (text(referenced) !== "") keys.add(keyOf(resource, namespace, text(referenced)));
  };
  const spec = object(pod["spec"]);
  add("serviceaccounts", spec["serviceAccountName"]);
  for (const secret of secretNamesOf(spec)) add("secrets", secret);
  for (const container of containersOf(spec)) addEnvironment(container, add);
  for (const volume of objects(spec["volumes"])) addVolume(volume, name, add);
  for (const claim of resourceClaimsOf(spec, object(pod["status"]))) add("resourceclaims", claim);
  return [...keys];
}

type Add = (resource: string, referenced: unknown) => void;

const containersOf = (spec: ReadonlyFields): readonly ReadonlyFields[] =>
  ["initContainers", "containers", "ephemeralContainers"].flatMap((kind) => objects(spec[kind]));

function addEnvironment(container: ReadonlyFields, add: Add): void {
  for (const { configMapRef } of objects(container["envFrom"])) add("configmaps", object(configMapRef)["name"]);
  for (const { valueFrom } of objects(container["env"])) {
    add("configmaps", object(object(valueFrom)["configMapKeyRef"])["name"]);
  }
}

function addVolume(volume: ReadonlyFields, pod: string, add: Add): void {
  add("configmaps", object(volume["configMap"])["name"]);
  for (const { configMap } of objects(object(volume["projected"])["sources"])) {
    add("configmaps", object(configMap)["name"]);
  }
  add("persistentvolumeclaims", object(volume["persistentVolumeClaim"])["claimName"]);
  if (!absent(volume["ephemeral"])) add("persistentvolumeclaims", `${pod}-${text(volume["name"])}`);
}

/** The claims that a pod names, and those that were made for it by a template. */
function* resourceClaimsOf(spec: ReadonlyFields, status: ReadonlyFields): Generator<unknown> {
  const made = objects(status["resourceClaimStatuses"]);
  for (const { name, resourceClaimName } of objects(spec["resourceClaims"])) {
    yield resourceClaimName ?? made.find((one) => one["name"] === name)?.["resourceClaimName"];
  }
  yield object(status["extendedResourceClaimStatus"])["resourceClaimName"];
}
