import { dictionary } from "../../../base/collections/dictionary.js";
import { append } from "../../../base/collections/append.js";
import { own } from "../../../base/collections/own.js";
import type { ReplicaSet, StatefulSet } from "../../../api/types/apps/v1.js";
import type { ReplicationController, Service } from "../../../api/types/core/v1.js";
import { selectorFromObject } from "../../../machinery/selectors/api-label-selector.js";
import {
  everyLabel,
  type LabelRequirement,
  type LabelSelector,
  labelSelector,
  type Labels,
  selectorFromSet,
} from "../../../machinery/selectors/label-selector.js";
import { object, type ReceivedObject } from "../../../machinery/meta/received.js";
import { NAMESPACE_INDEX } from "../../../client/informers/indexer.js";
import type { PodInfo } from "../../cache/pod-info.js";
import type { FollowedKinds } from "../../followed-kinds.js";

/** Kinds of controllers whose selectors say which pods belong together, by their apiVersion. */
const CONTROLLERS: Readonly<Record<string, string>> = dictionary({
  ReplicationController: "v1",
  ReplicaSet: "apps/v1",
  StatefulSet: "apps/v1",
});

/** Follows the kinds that the default constraints of a pod need; undefined when they are followed. */
export function followGroups({ pod }: PodInfo, kinds: FollowedKinds): Promise<void> | undefined {
  const owner = pod.metadata?.ownerReferences?.find(({ controller }) => controller === true);
  const version = CONTROLLERS[owner?.kind ?? ""];
  return kinds.follow([["v1", "Service"], ...(version === undefined ? [] : [[version, owner?.kind ?? ""] as const])]);
}

/** The selector for the pods that belong together with a pod: the selectors of its services and of its controller. Empty where there are none. */
export function defaultSelector({ pod, namespace, labels }: PodInfo, kinds: FollowedKinds): LabelSelector {
  const set: Record<string, string> = {};
  for (const service of kinds.cache("v1", "Service").byIndex(NAMESPACE_INDEX, namespace)) {
    Object.assign(set, matchingSelector(service, labels));
  }
  const requirements: LabelRequirement[] = [];
  const owner = pod.metadata?.ownerReferences?.find(({ controller }) => controller === true);
  const version = CONTROLLERS[owner?.kind ?? ""];
  if (owner !== undefined && version === owner.apiVersion) {
    const controller = kinds.cache<string, string>(version, owner.kind).get(`${namespace}/${owner.name}`);
    if (owner.kind === "ReplicationController") Object.assign(set, mapOf(controller));
    else append(requirements, requirementsOf(controller));
  }
  const ofSet = selectorFromSet(set).requirements ?? [];
  return ofSet.length + requirements.length === 0 ? everyLabel : labelSelector([...ofSet, ...requirements]);
}

function matchingSelector({ spec }: Service, labels: Labels): Labels {
  const selector = spec?.selector ?? {};
  const pairs = Object.entries(selector);
  return pairs.length > 0 && pairs.every(([key, value]) => own(labels, key) === value) ? selector : {};
}

const mapOf = (controller: ReceivedObject<ReplicationController> | undefined) => object(controller?.spec).selector;

function requirementsOf(controller: ReceivedObject<ReplicaSet | StatefulSet> | undefined): readonly LabelRequirement[] {
  try {
    return selectorFromObject(object(controller?.spec).selector).requirements ?? [];
  } catch {
    return [];
  }
}
