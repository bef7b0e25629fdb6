import { dictionary } from "../../base/collections/dictionary.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { parseIntOrString } from "../../polymorphic-helpers/int-or-string.js";
import { type LabelRequirement, SelectorError } from "../../machinery/selectors/label-selector.js";
import { parseLabelSelector } from "../../machinery/selectors/parse-label-selector.js";
import {
  completeGenerated,
  createGenerated,
  generatedFlags,
  type GeneratedOptions,
  namespacedMetadata,
  requireName,
} from "./generated.js";

export interface CreatePodDisruptionBudgetOptions extends GeneratedOptions {
  /** A number or a percentage; one of the two is "". */
  readonly minAvailable: string;
  readonly maxUnavailable: string;
  readonly selector: string;
}

export function createPodDisruptionBudgetCommand(run = runCreatePodDisruptionBudget): Command {
  return {
    use: "poddisruptionbudget NAME --selector=SELECTOR --min-available=N [--dry-run=server|client|none]",
    description:
      "Create a pod disruption budget: how many of the pods that a selector matches must stay when others are moved away.",
    examples: `# One pod with the label app=rails must stay
{{program}} create poddisruptionbudget my-pdb --selector=app=rails --min-available=1

# Half of the pods with the label app=nginx must stay
{{program}} create pdb my-pdb --selector=app=nginx --min-available=50%`,
    flags: [
      ...generatedFlags,
      { name: "min-available", type: "string", usage: "How many pods, or what part of them (50%), must be available" },
      { name: "max-unavailable", type: "string", usage: "How many pods, or what part of them (50%), may be missing" },
      { name: "selector", type: "string", usage: "Labels of the pods it is about" },
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

const AMOUNT = /^[0-9]+%?$/;

async function complete(factory: Factory, invocation: Invocation): Promise<CreatePodDisruptionBudgetOptions> {
  const { flags } = invocation;
  const options = {
    ...(await completeGenerated(factory, invocation)),
    minAvailable: flags.string("min-available"),
    maxUnavailable: flags.string("max-unavailable"),
    selector: flags.string("selector"),
  };
  requireName(options);
  const { minAvailable, maxUnavailable, selector } = options;
  if (selector === "") throw new Error("a selector must be specified");
  if (maxUnavailable === "" && minAvailable === "") {
    throw new Error("one of min-available or max-unavailable must be specified");
  }
  if (maxUnavailable !== "" && minAvailable !== "") {
    throw new Error("min-available and max-unavailable cannot be both specified");
  }
  const [flag, amount] = minAvailable === "" ? ["max-unavailable", maxUnavailable] : ["min-available", minAvailable];
  if (!AMOUNT.test(amount)) throw new Error(`invalid format specified for ${flag}`);
  return options;
}

export async function runCreatePodDisruptionBudget(options: CreatePodDisruptionBudgetOptions): Promise<void> {
  const { minAvailable, maxUnavailable } = options;
  const object = {
    kind: "PodDisruptionBudget",
    apiVersion: "policy/v1",
    metadata: namespacedMetadata(options),
    spec: {
      selector: selectorObject(options.selector),
      ...(minAvailable !== "" && { minAvailable: parseIntOrString(minAvailable) }),
      ...(maxUnavailable !== "" && { maxUnavailable: parseIntOrString(maxUnavailable) }),
    },
  };
  await createGenerated(object, options, "failed to create poddisruptionbudgets:");
}

/** The selector as an object states it: what is equal as labels, the rest as expressions. */
function selectorObject(text: string): object {
  const requirements = parse(text);
  const isEquality = ({ operator }: LabelRequirement): boolean => operator === "=" || operator === "==";
  return {
    matchLabels: Object.fromEntries(requirements.filter(isEquality).map(({ key, values }) => [key, values[0] ?? ""])),
    matchExpressions: requirements
      .filter((requirement) => !isEquality(requirement))
      .map(({ key, operator, values }) => ({ key, operator: apiOperator(operator), values: values.toSorted() })),
  };
}

function parse(text: string): readonly LabelRequirement[] {
  try {
    return parseLabelSelector(text).requirements ?? [];
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw new Error(`couldn't parse the selector string "${text}": ${error.message}`, { cause: error });
  }
}

const API_OPERATORS: Readonly<Record<string, string>> = dictionary({
  in: "In",
  notin: "NotIn",
  exists: "Exists",
  "!": "DoesNotExist",
});

function apiOperator(operator: string): string {
  const known = API_OPERATORS[operator];
  if (known !== undefined) return known;
  const why = operator === "!=" ? "is not a valid label selector operator" : "isn't supported in label selectors";
  throw new Error(`${goQuote(operator)} ${why}`);
}
