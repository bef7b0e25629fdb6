import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { LabelSelectorRequirement, FieldSelectorRequirement } from "../../../api/types/meta/v1.js";
import type {
  SubjectAccessReviewSpec,
  ResourceAttributes,
  NonResourceAttributes,
  LabelSelectorAttributes,
  FieldSelectorAttributes,
} from "../../../api/types/authorization/v1.js";
import type { CompiledExpression } from "../../../api/admission/expression-environment.js";
import type { Clock } from "../../../base/time/clock.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { AuthorizationMode, AuthorizerAttributes, Decision } from "../authorizer.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { ExpiringLru } from "../../../base/collections/lru.js";
import type { ReviewClient, ReviewStatus } from "./review-client.js";
import { matchesReview } from "./review-conditions.js";
import type { FieldRequirement } from "../../../machinery/selectors/field-selector.js";
import type { LabelOperator, LabelRequirement } from "../../../machinery/selectors/label-selector.js";

export interface WebhookModeOptions {
  readonly name: string;
  readonly client: Pick<ReviewClient, "review">;
  /** How long an answer that allows is kept, in milliseconds; 0 keeps none. */
  readonly authorizedTtl: number;
  /** How long any other answer is kept. */
  readonly unauthorizedTtl: number;
  /** What is decided when the webhook, or a match condition, fails. */
  readonly onFailure: "no-opinion" | "deny";
  /** All must be true, or the webhook is not asked and has no opinion. */
  readonly conditions: readonly CompiledExpression[];
  readonly clock: Clock;
  /** Receives the failures of calls. */
  readonly reportError: (error: unknown) => void;
}

/** How many answers are kept. */
const KEPT = 8192;
/** What a client can make long of a request that is kept, in bytes: a longer one would crowd out others. */
const LONGEST_KEPT = 10_000;

/** Authorizes requests by asking a webhook. */
export function webhookMode(options: WebhookModeOptions): AuthorizationMode {
  const { name, client, onFailure, conditions, clock } = options;
  const answers = new ExpiringLru<ReviewStatus>(KEPT, clock);

  async function ask(attributes: AuthorizerAttributes, spec: JsonObject, key: string): Promise<Decision> {
    const { signal } = attributes;
    let status: ReviewStatus;
    try {
      status = await client.review(spec, signal);
    } catch (error) {
      const message = errorMessage(error);
      // A request that was cancelled says nothing about the webhook.
      if (signal?.aborted !== true) {
        options.reportError(new Error(`Failed to make webhook authorizer request: ${message}`, { cause: error }));
      }
      return { decision: onFailure, error: message };
    }
    if (mayBeKept(attributes)) {
      answers.set(key, status, status.allowed ? options.authorizedTtl : options.unauthorizedTtl);
    }
    return decisionOf(status);
  }

  return {
    name,
    authorize(attributes) {
      const spec = reviewSpec(attributes);
      const match = matchesReview(conditions, spec);
      if (match.error !== undefined) return { decision: onFailure, error: match.error } satisfies Decision;
      if (!match.matches) return { decision: "no-opinion" };
      const key = JSON.stringify(spec);
      const kept = answers.get(key);
      return kept === undefined ? ask(attributes, spec, key) : decisionOf(kept);
    },
    rightsOf: () => ({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      error: "webhook authorizer does not support user rule resolution",
    }),
  };
}

function decisionOf({ allowed, denied, reason }: ReviewStatus): Decision {
  const said = reason === "" ? {} : ({ reason } satisfies Partial<Decision>);
  if (denied && allowed) {
    const error = "webhook subject access review returned both allow and deny response";
    return { decision: "deny", ...said, error };
  }
  return { decision: denied ? "deny" : allowed ? "allow" : "no-opinion", ...said };
}

function mayBeKept(attributes: AuthorizerAttributes): boolean {
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name, path } = attributes;
  const parts = [namespace, verb, apiGroup, apiVersion, resource, subresource, name, path];
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0) < LONGEST_KEPT;
}

/** The spec of a SubjectAccessReview of v1 about a request. What is empty is left out. */
function reviewSpec(attributes: AuthorizerAttributes): JsonObject {
  const { user, verb, path } = attributes;
  return {
    ...(attributes.isResourceRequest
      ? ({ resourceAttributes: resourceAttributes(attributes) } satisfies FieldsOf<SubjectAccessReviewSpec>)
      : ({
          nonResourceAttributes: filled({ path, verb } satisfies FieldsOf<NonResourceAttributes>),
        } satisfies FieldsOf<SubjectAccessReviewSpec>)),
    ...filled({ user: user.name } satisfies FieldsOf<SubjectAccessReviewSpec>),
    ...(user.groups.length > 0 && ({ groups: [...user.groups] } satisfies FieldsOf<SubjectAccessReviewSpec>)),
    ...(user.extra !== undefined &&
      Object.keys(user.extra).length > 0 &&
      ({
        extra: Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]])),
      } satisfies FieldsOf<SubjectAccessReviewSpec>)),
    ...filled({ uid: user.uid ?? "" } satisfies FieldsOf<SubjectAccessReviewSpec>),
  };
}

function resourceAttributes(attributes: AuthorizerAttributes): JsonObject {
  const { namespace, verb, apiGroup: group, apiVersion: version, resource, subresource, name } = attributes;
  const fields = (attributes.fieldSelector ?? []).map(fieldRequirement);
  const labels = (attributes.labelSelector ?? []).flatMap((one) => labelRequirement(one) ?? []);
  return {
    ...filled({ namespace, verb, group, version, resource, subresource, name } satisfies FieldsOf<ResourceAttributes>),
    ...(fields.length > 0 &&
      ({
        fieldSelector: { requirements: fields } satisfies FieldsOf<FieldSelectorAttributes>,
      } satisfies FieldsOf<ResourceAttributes>)),
    ...(labels.length > 0 &&
      ({
        labelSelector: { requirements: labels } satisfies FieldsOf<LabelSelectorAttributes>,
      } satisfies FieldsOf<ResourceAttributes>)),
  };
}

const fieldRequirement = ({ field, operator, value }: FieldRequirement): JsonObject =>
  ({
    key: field,
    operator: operator === "=" ? "In" : "NotIn",
    values: [value],
  }) satisfies FieldsOf<FieldSelectorRequirement>;

const OPERATORS: Partial<Readonly<Record<LabelOperator, string>>> = {
  "=": "In",
  "==": "In",
  in: "In",
  "!=": "NotIn",
  notin: "NotIn",
  exists: "Exists",
  "!": "DoesNotExist",
};

/** Undefined for what a review cannot say: without it the review is about more objects, never about fewer. */
function labelRequirement({ key, operator, values }: LabelRequirement): JsonObject | undefined {
  const said = OPERATORS[operator];
  if (said === undefined) return undefined;
  return {
    key,
    operator: said,
    ...(values.length > 0 && ({ values: [...values] } satisfies FieldsOf<LabelSelectorRequirement>)),
  } satisfies FieldsOf<LabelSelectorRequirement>;
}

function filled(texts: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ""));
}
