import { goQuote } from "../../base/go-quote.js";
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
  const { matchLabels, matchExpressions } = selector;
  const labels = Object.entries(object(matchLabels));
  const expressions = objects(matchExpressions);
  // A part that cannot be read must not make the selector select more.
  if (!absent(matchLabels) && !isStruct(matchLabels)) throw new SelectorError("matchLabels is not a map");
  if (!absent(matchExpressions) && !Array.isArray(matchExpressions)) {
    throw new SelectorError("matchExpressions is not a list");
  }
  if (labels.length + expressions.length === 0) return everyLabel;
  const requirements: LabelRequirement[] = labels.map(([key, value]) => labelRequirement(key, "=", [text(value)]));
  // An operator may be left out on the wire, and is then not a valid one.
  for (const { key, operator, values } of expressions) {
    const known = operatorFromApi(text(operator));
    if (known === undefined)
      throw new SelectorError(`${goQuote(text(operator))} is not a valid label selector operator`);
    requirements.push(labelRequirement(text(key), known, list(values).map(text)));
  }
  return labelSelector(requirements);
}

/** The same; undefined for one that cannot be read. */
export function readSelector(selector: LabelSelectorObject | null | undefined): LabelSelector | undefined {
  try {
    return selectorFromObject(selector);
  } catch {
    return undefined;
  }
}

/** As `kubectl get -o wide` and describe show a selector object. */
export function formatSelectorObject(selector: LabelSelectorObject | null | undefined): string {
  try {
    const text = selectorFromObject(selector).toString();
    return text === "" ? "<none>" : text;
  } catch {
    return "<error>";
  }
}
