import { object, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { Conversion } from "../../../machinery/scheme/scheme.js";
import { type Labels, SelectorError, selectorFromSet } from "../../../machinery/selectors/label-selector.js";
import { parseLabelSelector } from "../../../machinery/selectors/parse-label-selector.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { withChild } from "../copies.js";

/**
 * Converts the Scale of extensions and of old apps versions to autoscaling/v1, where `status.selector` is a text. The old ones
 * have a map of labels under that name, and the text as `targetSelector`, which wins and can state more than the map.
 */
export const scaleWithSelectorMap: Conversion = {
  toHub: (scale) =>
    withChild(scale, "status", ({ selector, targetSelector, ...status }) => {
      const stated = text(targetSelector) || selectorFromSet(object(selector) as Labels).toString();
      return stated === "" ? status : { ...status, selector: stated };
    }),
  fromHub: (scale) =>
    withChild(scale, "status", ({ selector, ...status }) => {
      const targetSelector = text(selector);
      const labels = plainLabels(targetSelector);
      return {
        ...status,
        ...(Object.keys(labels).length > 0 && { selector: labels }),
        ...(targetSelector !== "" && { targetSelector }),
      };
    }),
};

/** The labels a selector asks for when it asks for nothing else. Throws where it cannot be read, and for `>` and `<`. */
function plainLabels(selector: string): ReadonlyFields {
  const labels = new Map<string, string>();
  let more = false;
  for (const { key, operator, values } of requirementsOf(selector)) {
    if (operator === "gt" || operator === "lt") {
      throw new Error(`failed to parse selector: ${goQuote(operator)} isn't supported in label selectors`);
    }
    if (operator === "=" || operator === "==") labels.set(key, values[0] ?? "");
    else more = true;
  }
  return more ? {} : Object.fromEntries(labels);
}

function requirementsOf(selector: string) {
  try {
    return parseLabelSelector(selector).requirements ?? [];
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw new Error(`failed to parse selector: couldn't parse the selector string "${selector}": ${error.message}`, {
      cause: error,
    });
  }
}
