import type { Random } from "../../base/random.js";
import { handleTokenRequest } from "../endpoints/subresources/token-request.js";
import type { TokenIssuer } from "../request/token-issuer.js";
import type { TokenLookup } from "../request/user.js";
import type { ServedResource } from "../endpoints/served-resource.js";
import { handleComponentStatus, handleComponentStatuses } from "../endpoints/subresources/component-statuses.js";
import { handleNamespaceFinalize } from "../endpoints/subresources/namespace-finalize.js";
import { handlePodBinding } from "../endpoints/subresources/pod-binding.js";
import { handlePodEviction } from "../endpoints/subresources/pod-eviction.js";
import { handlePodLog } from "../endpoints/subresources/pod-log.js";
import { handleReview, reviewers } from "../endpoints/subresources/reviews.js";
import type { ResourceMap } from "./resource-map.js";
import type { ApiRequest } from "../request/api-request.js";

export type SpecialHandler = (request: ApiRequest, resource: ServedResource) => Promise<void>;

/** Handlers outside the generic verbs, by "<group version>/<resource>/<subresource>/<verb>"; the subresource may be "". */
export function specialHandlers(
  resources: ResourceMap,
  tokens: readonly TokenLookup[],
  serviceAccounts?: { readonly issuer: TokenIssuer; readonly random: Random },
): ReadonlyMap<string, SpecialHandler> {
  const handlers = new Map<string, SpecialHandler>([
    ["v1/namespaces/finalize/update", handleNamespaceFinalize],
    ["v1/pods/binding/create", handlePodBinding],
    ["v1/bindings//create", (request, own) => handlePodBinding(request, resources.find("v1", "pods") ?? own)],
    [
      "v1/pods/eviction/create",
      (request, pods) => handlePodEviction(request, pods, resources.find("policy/v1", "poddisruptionbudgets") ?? pods),
    ],
    ["v1/pods/log/get", (request, pods) => handlePodLog(request, pods, resources.find("v1", "nodes") ?? pods)],
    ["v1/componentstatuses//list", handleComponentStatuses],
    ["v1/componentstatuses//get", handleComponentStatus],
  ]);
  if (serviceAccounts !== undefined) {
    const config = { ...serviceAccounts, resource: (name: string) => resources.find("v1", name) };
    handlers.set("v1/serviceaccounts/token/create", (request, accounts) =>
      handleTokenRequest(request, accounts, config),
    );
  }
  for (const [id, review] of reviewers(tokens, serviceAccounts?.issuer.audiences)) {
    handlers.set(`${id}//create`, (request, resource) => handleReview(request, resource, review));
  }
  return handlers;
}
