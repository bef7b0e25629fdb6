import { append } from "../../../base/collections/append.js";
import { forbiddenField, invalidValue, required } from "../../../machinery/errors/field-error.js";
import {
  absent,
  isStruct,
  list,
  number,
  object,
  objects,
  type Received,
  text,
} from "../../../machinery/meta/received.js";
import { dns1123LabelErrors, qualifiedNameErrors } from "../../../machinery/validation/names.js";
import type {
  Affinity,
  PodAffinity,
  PodAffinityTerm,
  PodAntiAffinity,
  PreferredSchedulingTerm,
  WeightedPodAffinityTerm,
} from "../../types/core/v1.js";
import type { LabelSelector } from "../../types/meta/v1.js";
import { check, type Errors } from "../collect.js";
import { checkSelector } from "../label-selector.js";
import { validateNodeSelector, validateNodeSelectorTerm } from "./node-selector.js";
import type { PodValidationOptions } from "./pod-options.js";

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

export function validateAffinity(
  affinity: Received<Affinity>,
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  const node = object(affinity.nodeAffinity);
  const inNode = `${path}.nodeAffinity`;
  if (!absent(node[REQUIRED])) {
    const anyValue = options.allowInvalidNodeAffinityValue;
    append(errors, validateNodeSelector(object(node[REQUIRED]), `${inNode}.${REQUIRED}`, anyValue));
  }
  for (const [index, term] of objects(node[PREFERRED]).entries()) {
    const at = `${inNode}.${PREFERRED}[${index}]`;
    checkWeight(term, at, errors);
    validateNodeSelectorTerm(object(term.preference), true, `${at}.preference`, errors);
  }
  for (const field of ["podAffinity", "podAntiAffinity"] as const) {
    if (!absent(affinity[field])) validatePodTerms(object(affinity[field]), `${path}.${field}`, options, errors);
  }
}

function validatePodTerms(
  affinity: Received<PodAffinity | PodAntiAffinity>,
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  for (const [index, term] of objects(affinity[REQUIRED]).entries()) {
    validatePodTerm(term, `${path}.${REQUIRED}[${index}]`, options, errors);
  }
  for (const [index, term] of objects(affinity[PREFERRED]).entries()) {
    const at = `${path}.${PREFERRED}[${index}]`;
    checkWeight(term, at, errors);
    validatePodTerm(object(term.podAffinityTerm), `${at}.podAffinityTerm`, options, errors);
  }
}

function checkWeight(
  { weight = 0 }: Received<PreferredSchedulingTerm | WeightedPodAffinityTerm>,
  path: string,
  errors: Errors,
): void {
  if (number(weight) < 1 || number(weight) > 100) {
    errors.push(invalidValue(`${path}.weight`, weight, "must be in the range 1-100"));
  }
}

function validatePodTerm(
  term: Received<PodAffinityTerm>,
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  for (const field of ["labelSelector", "namespaceSelector"] as const) {
    checkSelector(term[field], `${path}.${field}`, options.allowInvalidSelectorValue, errors);
  }
  for (const namespace of list(term.namespaces)) {
    check(text(namespace), `${path}.namespace`, dns1123LabelErrors, errors);
  }
  validateLabelKeys(term, path, errors);
  const key = text(term.topologyKey);
  if (key === "") errors.push(required(`${path}.topologyKey`, "can not be empty"));
  check(key, `${path}.topologyKey`, qualifiedNameErrors, errors);
}

/** What an affinity term and a spread constraint have in common; a constraint has no mismatchLabelKeys. */
type LabelKeys = Pick<PodAffinityTerm, "labelSelector" | "matchLabelKeys" | "mismatchLabelKeys">;

/**
 * Validates the matchLabelKeys and mismatchLabelKeys of `holder`, which the server adds to its labelSelector when a pod is
 * created: the selector may contain a key only as often as the server has added it.
 */
export function validateLabelKeys(holder: Received<LabelKeys>, path: string, errors: Errors): void {
  const [match, mismatch] = [list(holder.matchLabelKeys), list(holder.mismatchLabelKeys)];
  if (match.length + mismatch.length === 0) return;
  const selector = isStruct(holder.labelSelector) ? holder.labelSelector : undefined;
  checkKeys(match, selector, `${path}.matchLabelKeys`, errors);
  checkKeys(mismatch, selector, `${path}.mismatchLabelKeys`, errors);
  if (selector !== undefined) {
    const seen = new Set(Object.keys(object(selector.matchLabels)));
    const lastAt = new Map<string | null | undefined, number>(match.map((key, index) => [key, index]));
    for (const { key } of objects(selector.matchExpressions)) {
      const index = lastAt.get(key);
      if (index !== undefined && seen.has(text(key))) {
        const detail = "exists in both matchLabelKeys and labelSelector";
        errors.push(invalidValue(`${path}[${index}]`, key, detail));
      }
      seen.add(text(key));
    }
  }
  const mismatched = new Set(mismatch);
  for (const [index, key] of match.entries()) {
    if (!mismatched.has(key)) continue;
    const detail = "exists in both matchLabelKeys and mismatchLabelKeys";
    errors.push(invalidValue(`${path}.matchLabelKeys[${index}]`, key, detail));
  }
}

function checkKeys(
  keys: readonly (string | null)[],
  selector: Received<LabelSelector> | undefined,
  path: string,
  errors: Errors,
): void {
  if (keys.length === 0) return;
  if (selector === undefined) {
    errors.push(forbiddenField(path, "must not be specified when labelSelector is not set"));
    return;
  }
  for (const [index, key] of keys.entries()) check(text(key), `${path}[${index}]`, qualifiedNameErrors, errors);
}
