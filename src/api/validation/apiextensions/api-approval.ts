import { goQuote } from "../../../base/text/go-quote.js";
import { type FieldError, invalidValue, required } from "../../../machinery/errors/field-error.js";
import { object, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Definition } from "./definition-types.js";

const ANNOTATION = "api-approved.kubernetes.io";
const INTRO = `protected groups must have approval annotation ${goQuote(ANNOTATION)}`;
const URL_OR_REASON = 'with either a URL or a reason starting with "unapproved"';
const SEE = "see https://github.com/kubernetes/enhancements/pull/1111";

type State = "Approved" | "Bypassed" | "Missing" | "Invalid";

export interface ApiApproval {
  readonly state: State;
  /** Why, as the condition KubernetesAPIApprovalPolicyConformant says it. */
  readonly message: string;
}

/** Returns the approval state that the annotation of a definition in a group of Kubernetes states; undefined for any other group. */
export function apiApprovalOf(definition: Definition): ApiApproval | undefined {
  if (!isProtected(text(object(definition.spec).group))) return undefined;
  const state = stateOf(definition);
  const annotation = annotationOf(definition);
  switch (state) {
    case "Approved":
      return { state, message: `approved in ${annotation}` };
    case "Bypassed":
      return { state, message: `not approved: ${goQuote(annotation)}` };
    case "Missing":
      return { state, message: `${INTRO}, ${SEE}` };
    case "Invalid":
      return { state, message: `${INTRO} ${URL_OR_REASON}, ${SEE}` };
  }
}

/** Checks that a definition in a group of Kubernetes has the annotation that names its approval. `old` is the definition before an update. */
export function validateApiApproval(definition: Definition, old?: KubeObject): FieldError[] {
  if (!isProtected(text(object(definition.spec).group))) return [];
  const state = stateOf(definition);
  if (old !== undefined && stateOf(old) === state) return [];
  const path = `metadata.annotations[${ANNOTATION}]`;
  const { message = "" } = apiApprovalOf(definition) ?? {};
  if (state === "Missing") return [required(path, message)];
  return state === "Invalid" ? [invalidValue(path, annotationOf(definition), message)] : [];
}

function isProtected(group: string): boolean {
  return ["k8s.io", "kubernetes.io"].some((own) => group === own || group.endsWith(`.${own}`));
}

const annotationOf = ({ metadata }: KubeObject): string => metadata?.annotations?.[ANNOTATION] ?? "";

function stateOf(definition: Definition): State {
  const annotation = annotationOf(definition);
  if (annotation === "") return "Missing";
  if (annotation.startsWith("unapproved")) return "Bypassed";
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#\s]+/.test(annotation) ? "Approved" : "Invalid";
}
