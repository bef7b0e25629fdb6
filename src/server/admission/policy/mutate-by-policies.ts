import { errorMessage } from "../../../base/text/error-message.js";
import {
  RUNTIME_COST_BUDGET,
  RUNTIME_COST_BUDGET_MATCH_CONDITIONS,
} from "../../../machinery/cel/kubernetes/cost-limits.js";
import {
  isStatusError,
  StatusError,
  type StatusCause,
  internalError,
  serviceUnavailable,
} from "../../../machinery/errors/status-error.js";
import { type AdmissionAttributes, refused } from "../attributes.js";
import { ConversionError, evaluatedObjects, shownAs } from "../expressions/evaluated-request.js";
import { evaluateMatchConditions } from "../expressions/match-conditions.js";
import type { AdmissionContext } from "../plugin.js";
import type { ReinvokedCalls } from "../reinvocation.js";
import { applyConfiguration, applyMadePatch } from "./apply-mutation.js";
import type { BoundPolicy } from "./configured-policies.js";
import { type Invocation, invocationsOf, type Misconfiguration, misconfiguration } from "./invocations.js";
import { type CompiledMutatingPolicy, type Mutation, mutatingPolicies } from "./compiled-policies.js";
import { PolicyRequest } from "./policy-request.js";
import { decodeObject } from "../../../machinery/wire/strict-decode.js";
import type { GroupVersionKind } from "../../../machinery/meta/gvk.js";
import type { JsonObject, JsonValue } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { deepEqual } from "../../../machinery/patch/json-values.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import { replaceObject } from "../replace-object.js";

/** A policy that failed; the reason is "" for one that cannot be asked at all. */
interface Failure extends Misconfiguration {
  readonly reason: string;
}

/**
 * Lets the policies that the request is for change its object, one after the other: each sees what the ones before it made of the object. In the second
 * round only those run that ask to be asked again. All are asked, and rejects with the failures of those that must not fail.
 */
export async function mutateByPolicies(
  bound: readonly BoundPolicy[],
  attributes: AdmissionAttributes,
  context: AdmissionContext,
  reinvoked: ReinvokedCalls,
): Promise<void> {
  const failures: Failure[] = [];
  const invocations: Invocation[] = [];
  const report = (one: Misconfiguration): void => void failures.push({ ...one, reason: "" });
  for (const one of bound) {
    for await (const invocation of invocationsOf(one, attributes, context, report)) invocations.push(invocation);
  }
  if (invocations.length > 0) await invokeAll(invocations, attributes, context, reinvoked, failures);
  const fatal = failures.filter(({ policy }) => !policy.ignoresFailures);
  if (fatal.length > 0) throw refusal(attributes, fatal);
}

async function invokeAll(
  invocations: readonly Invocation[],
  attributes: AdmissionAttributes,
  context: AdmissionContext,
  reinvoked: ReinvokedCalls,
  failures: Failure[],
): Promise<void> {
  const { reinvocation, object } = attributes;
  reinvoked.beginRound(reinvocation, object);
  const request = new PolicyRequest(attributes, context);
  // kube-apiserver looks the namespace up before it asks a policy, and a request in a namespace that is not there fails.
  await request.namespace();
  let patched = false;
  for (const invocation of invocations) {
    const { policy, binding } = invocation;
    const failed = (message: string): void => void failures.push({ policy, binding, message, reason: "Invalid" });
    const compiled = await mutatingPolicies.of(policy);
    const id = idOf(invocation);
    let draft: MutatedObject | undefined;
    try {
      if (!(await matches(invocation, compiled, request, failed))) continue;
      if (reinvocation.active && !reinvoked.has(reinvocation, id)) continue;
      draft = await mutate(invocation, compiled, request, failed);
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error;
      failures.push({ ...misconfiguration(policy, undefined, error), reason: "" });
      continue;
    }
    if (draft?.changed === true) {
      reinvoked.requireEarlier(reinvocation);
      reinvocation.request();
    }
    if (draft?.patched === true) patched = true;
    if (policy.mayBeReinvoked) reinvoked.add(reinvocation, id);
  }
  // A policy that has patched the object is asked again if it wants to be, whether it has changed it or not.
  if (patched) {
    reinvoked.requireEarlier(reinvocation);
    reinvocation.request();
  }
  reinvoked.endRound(reinvocation, object);
}

function idOf({ policy, binding, parameter }: Invocation): string {
  const { name = "", namespace = "" } = (parameter?.["metadata"] ?? {}) as { name?: string; namespace?: string };
  return JSON.stringify([policy.name, binding.name, namespace, name]);
}

async function matches(
  { policy, matched, parameter }: Invocation,
  { conditions, variables }: CompiledMutatingPolicy,
  request: PolicyRequest,
  failed: (message: string) => void,
): Promise<boolean> {
  if (conditions.length === 0) return true;
  const { attributes } = request;
  const objects = await evaluatedObjects(attributes, matched);
  const run = await request.run(
    { matched: { ...matched, resource: attributes.resource }, objects, parameter },
    { variables, budget: RUNTIME_COST_BUDGET_MATCH_CONDITIONS, authorizer: true, namespaceObject: false },
  );
  const outcome = await evaluateMatchConditions(conditions, run, policy.ignoresFailures);
  if (outcome.error === undefined) return outcome.matches;
  failed(outcome.error);
  return false;
}

/** Applies the patches of a policy. One that fails leaves the object to the next as it found it. */
async function mutate(
  { matched, parameter }: Invocation,
  { mutations, variables }: CompiledMutatingPolicy,
  request: PolicyRequest,
  failed: (message: string) => void,
): Promise<MutatedObject | undefined> {
  const { attributes } = request;
  const draft = await MutatedObject.of(attributes, matched.kind);
  if (draft === undefined) return undefined;
  const { oldObject } = await evaluatedObjects(attributes, matched);
  for (const mutation of mutations) {
    const objects = { object: draft.view, oldObject };
    const options = { variables, budget: RUNTIME_COST_BUDGET, authorizer: true, namespaceObject: true };
    try {
      await patch(draft, mutation, () => request.run({ matched, objects, parameter }, options));
    } catch (error) {
      if (isStatusError(error)) throw error;
      failed(errorMessage(error));
    }
  }
  draft.keep();
  return draft;
}

async function patch(
  draft: MutatedObject,
  { patchType, expression }: Mutation,
  run: () => ReturnType<PolicyRequest["run"]>,
): Promise<void> {
  const { schema } = draft;
  if (expression.error !== undefined) throw new Error(expression.error);
  const outcome = await (await run()).evaluate(expression);
  if (outcome.error !== undefined) throw new Error(outcome.error);
  if (patchType === "JSONPatch") await draft.become(await applyMadePatch(draft.view, outcome.value), true);
  else await draft.become(applyConfiguration(draft.view, outcome.value, schema), false);
}

/** The answer to a request that policies could not be asked about, or whose patches fail: the first one's text, and all as causes. */
function refusal(attributes: AdmissionAttributes, failures: readonly Failure[]): StatusError {
  const { status } = refused(attributes, "admission request denied by policy");
  const causes: StatusCause[] = failures.map((failure) => ({ message: textOf(failure) }));
  const reason = failures[0]?.reason ?? "";
  return new StatusError({
    ...status,
    message: causes[0]?.message ?? "",
    ...(reason !== "" && { reason }),
    details: { ...status.details, causes },
  });
}

function textOf({ policy, binding, message }: Failure): string {
  const by =
    binding === undefined ? `policy "${policy.name}"` : `policy '${policy.name}' with binding '${binding.name}'`;
  return `${by} denied request: ${message}`;
}

/** The draft of a request, in one version, while one policy changes it. */
class MutatedObject {
  /** As the object's JSON reads now. */
  view: JsonObject;
  #restored: KubeObject | undefined;

  private constructor(
    private readonly attributes: AdmissionAttributes,
    private readonly draft: KubeObject,
    private readonly kind: GroupVersionKind,
    private readonly before: JsonObject,
  ) {
    this.view = before;
  }

  /** Undefined for a request without an object. Rejects with a {@link ConversionError}. */
  static async of(attributes: AdmissionAttributes, kind: GroupVersionKind): Promise<MutatedObject | undefined> {
    const { object } = attributes;
    if (object === undefined) return undefined;
    return new MutatedObject(attributes, object, kind, await shownAs(kind, object, attributes));
  }

  get schema(): StructSchema {
    const schema = this.attributes.versions.schemaOf(this.kind);
    if (schema !== undefined) return schema;
    const { group, version, kind } = this.kind;
    const text = `Resource kind ${group}/${version}, Kind=${kind} not found. There can be a delay between when CustomResourceDefinitions are created and when they are available.`;
    throw serviceUnavailable(text);
  }

  /** Takes what a patch made, with the defaults of the version. Rejects with an Error for what is not of the kind; unknown fields are a 500 if `strict`. */
  async become(patched: JsonValue, strict: boolean): Promise<void> {
    const { versions } = this.attributes;
    if (strict) {
      const { strictErrors } = decodeObject(patched, this.schema);
      if (strictErrors.length > 0) throw internalError(`strict decoding error: ${strictErrors.join(", ")}`);
    }
    const object = await versions.decode(patched, this.kind);
    this.#restored = await versions.restore(object, this.kind);
    this.view = await shownAs(this.kind, this.#restored, this.attributes);
  }

  /** Whether a patch was applied, which may have changed nothing. */
  get patched(): boolean {
    return this.#restored !== undefined;
  }

  get changed(): boolean {
    return this.patched && !deepEqual(this.view, this.before);
  }

  /** Makes the request's object what the patches made. */
  keep(): void {
    if (this.#restored !== undefined) replaceObject(this.draft, this.#restored);
  }
}
