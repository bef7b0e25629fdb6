import { goQuote } from "../../base/text/go-quote.js";
import { absent, isStruct, list, object, objects, text } from "../meta/received.js";
import type { LabelSelectorObject } from "../validation/labels.js";
import {
  everyLabel,
  labelRequirement,
  type LabelRequirement,
  type LabelSelector,
  labelSelector,
  noLabel,
  operatorFromApi,
  SelectorError,
} from "./label-selector.js";

/** A metav1.LabelSelector object as a selector: an absent one matches nothing, an empty one everything. */
export function selectorFromObject(selector: LabelSelectorObject | null | undefined): LabelSelector {
  if (selector === undefined || selector === null) return noLabel;
  const labels = Object.entries(object(selector.matchLabels));
  const expressions = objects(selector.matchExpressions);
  requireReadable(selector);
  if (labels.length + expressions.length === 0) return everyLabel;
  const requirements: LabelRequirement[] = labels.map(([key, value]) => labelRequirement(key, "=", [text(value)]));
  // An operator may be left out on the wire, and is then not a valid one.
  for (const expression of expressions) {
    const operator = text(expression.operator);
    const known = operatorFromApi(operator);
    if (known === undefined) throw new SelectorError(`${goQuote(operator)} is not a valid label selector operator`);
    requirements.push(labelRequirement(text(expression.key), known, list(expression.values).map(text)));
  }
  return labelSelector(requirements);
}

/** Throws for a part of a wrong type: read as an absent one, it would make the selector select more. */
function requireReadable({ matchLabels, matchExpressions }: LabelSelectorObject): void {
  if (!absent(matchLabels) && !isStruct(matchLabels)) throw new SelectorError("matchLabels is not a map");
  if (!absent(matchExpressions) && !Array.isArray(matchExpressions)) {
    throw new SelectorError("matchExpressions is not a list");
  }
}

/** Parses a selector as the function above; undefined for one that cannot be parsed. */
export function readSelector(selector: LabelSelectorObject | null | undefined): LabelSelector | undefined {
  try {
    return selectorFromObject(selector);
  } catch {
    return undefined;
  }
}

/** Formats a selector object as `kubectl get -o wide` and describe do. */
export function formatSelectorObject(selector: LabelSelectorObject | null | undefined): string {
  try {
    const text = selectorFromObject(selector).toString();
    return text === "" ? "<none>" : text;
  } catch {
    return "<error>";
  }
}
