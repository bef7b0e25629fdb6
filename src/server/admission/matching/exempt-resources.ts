import type { GroupResource } from "../../../machinery/errors/status-error.js";

const GROUP = "admissionregistration.k8s.io";

/** Policies that refuse everything could not be removed if they were asked about policies. */
const POLICIES: ReadonlySet<string> = new Set([
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
]);

const WEBHOOKS: ReadonlySet<string> = new Set(["mutatingwebhookconfigurations", "validatingwebhookconfigurations"]);

/** Questions about users, which are stored nowhere. A policy that refused them would break the cluster. */
const REVIEWS: ReadonlySet<string> = new Set([
  "authentication.k8s.io/selfsubjectreviews",
  "authentication.k8s.io/tokenreviews",
  "authorization.k8s.io/localsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectrulesreviews",
  "authorization.k8s.io/subjectaccessreviews",
]);

/** Whether webhooks of the API do not see a resource: the configurations of admission. Those of files see it. */
export const isExemptFromWebhooks = ({ group, resource }: GroupResource): boolean =>
  group === GROUP && (WEBHOOKS.has(resource) || POLICIES.has(resource));

/** Whether policies of the API do not see a resource: policies. Those of files see it. */
export const isExemptFromPolicies = ({ group, resource }: GroupResource): boolean =>
  group === GROUP && POLICIES.has(resource);

/** Whether a resource has questions about users: no policy sees it, and since Kubernetes 1.37 no webhook. */
export const isReview = ({ group, resource }: GroupResource): boolean => REVIEWS.has(`${group}/${resource}`);
