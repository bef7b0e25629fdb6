import type { RestClient } from "../../client/rest/rest-client.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { followList, type ListSelection } from "./follow-list.js";
import { PODS } from "../selected-pods.js";

export type PodSelection = ListSelection;

/** A pod as it is now; `first` for those that were there when it began. */
export interface FollowedPod {
  readonly pod: KubeObject;
  readonly first: boolean;
  readonly deleted: boolean;
}

/** The pods that match, and every change of them, as {@link followList} has them. */
export async function* followPods(
  client: RestClient,
  selection: PodSelection,
  signal: AbortSignal,
): AsyncGenerator<FollowedPod, void> {
  for await (const { object, first, deleted } of followList(client, PODS, selection, signal)) {
    yield { pod: object, first, deleted };
  }
}
