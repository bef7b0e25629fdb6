import { calculatePatch } from "../../actions/apply/three-way-patch.js";
import { readTyped } from "../../actions/typed/read-typed.js";
import { withoutVersion, withVersion } from "../../actions/apply/version-lock.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { readRecord, recordFlag } from "../../cli/flags/change-flags.js";
import {
  type DryRunStrategy,
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  readDryRun,
  readFilenames,
} from "../../cli/flags/resource-flags.js";
import { allFlag, localFlag, localResourceError } from "../../cli/flags/selection-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { withChangeCause } from "../../polymorphic-helpers/change-cause.js";
import type { Fields } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Result } from "../../resource/builder.js";
import { Helper } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";
import { outputFlags, typedPrint, loadTypedKinds, type TypedKinds } from "./change.js";
import { setKey } from "../../machinery/wire/json/own-keys.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { LabelOperator } from "../../machinery/selectors/label-selector.js";
import { parseLabelSelector } from "../../machinery/selectors/parse-label-selector.js";

export interface SetSelectorOptions {
  readonly selector: SelectorObject;
  /** "": whatever the object's version is. */
  readonly resourceVersion: string;
  readonly local: boolean;
  readonly dryRun: DryRunStrategy;
  readonly fieldManager: string;
  /** Why, for --record. */
  readonly cause: string | undefined;
  readonly kinds: TypedKinds;
  readonly find: () => Promise<Result>;
  readonly client: () => Promise<RestClient>;
  readonly print: (object: KubeObject) => void;
}

export function setSelectorCommand(run = runSetSelector): Command {
  return {
    use: "selector (-f FILENAME | TYPE NAME) EXPRESSIONS [--resource-version=version]",
    description: `Set the selector of a Service. The one it had is gone afterwards. A key or value is letters, digits, hyphens, dots and
underscores, up to 63 of them. Nothing but Services has a selector that can be set.`,
    examples: `# Let a service find the pods of another environment
{{program}} set selector service my-svc environment=qa

# Only if nobody changed it since version 1
{{program}} set selector service my-svc environment=qa --resource-version=1

# Print what a file would become, without a server
{{program}} set selector --local -f service.yaml environment=qa -o yaml`,
    flags: [
      ...filenameFlags("File, directory or URL that names what to change")
        .filter(({ name }) => name !== "kustomize")
        .map((flag) => (flag.name === "recursive" ? { ...flag, default: "true" } : flag)),
      allFlag,
      localFlag,
      ...outputFlags,
      recordFlag,
      fieldManagerFlag("kubectl-set"),
      {
        name: "resource-version",
        type: "string",
        usage: "Change the resource only if it still has this version. For a single resource",
      },
      dryRunFlag,
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<SetSelectorOptions> {
  const { args, flags } = invocation;
  const dryRun = readDryRun(flags, factory);
  const expression = args.at(-1);
  const selector = expression === undefined ? undefined : parseSelector(expression);
  const resources = args.slice(0, -1);
  const local = flags.bool("local");
  const kinds = await loadTypedKinds({ retired: true });
  const print = typedPrint(factory, invocation, "selector updated", dryRun, kinds);
  if (selector === undefined) throw new Error("one selector is required");
  return {
    selector,
    resourceVersion: flags.string("resource-version"),
    local,
    dryRun,
    fieldManager: flags.string("field-manager"),
    cause: readRecord(invocation),
    kinds,
    find: async () => {
      const { namespace, enforced } = await factory.namespace();
      const builder = (await factory.builder())
        .decode((object) => readTyped(object, kinds))
        .local(local)
        .namespaceParam(namespace)
        .defaultNamespace()
        .filenames(enforced, readFilenames(flags))
        .continueOnError()
        .flatten();
      if (!local) return builder.typeOrNameArgs(flags.bool("all"), resources).latest().do();
      if (resources.length > 0) builder.addError(localResourceError());
      return builder.do();
    },
    client: factory.restClient,
    print,
  };
}

/** Sets the selectors one after the other, and continues after a failure. */
export async function runSetSelector(options: SetSelectorOptions): Promise<void> {
  const result = await options.find();
  await result.visit((info) => setSelector(info, options));
}

async function setSelector(info: Info, options: SetSelectorOptions): Promise<void> {
  const { kinds, resourceVersion, dryRun, fieldManager } = options;
  const held = readTyped(info.object ?? {}, kinds);
  const before = resourceVersion === "" ? held : withoutVersion(held);
  const after = readTyped(changed(withVersion(before, resourceVersion), options), kinds);
  if (options.local || dryRun === "client") return options.print(after);
  const { text } = await calculatePatch(info.mapping.kind, before, after);
  const helper = new Helper(await options.client(), info.mapping, { dryRun: dryRun === "server", fieldManager });
  options.print(await helper.patch(info.namespace, info.name, "strategic", new TextEncoder().encode(text)));
}

function changed(object: KubeObject, { selector, cause }: SetSelectorOptions): KubeObject {
  if (object.kind !== "Service" || object.apiVersion !== "v1") {
    throw new Error("setting a selector is only supported for Services");
  }
  const spec = { ...(object["spec"] as Fields), selector: requireEquality(selector) };
  return withChangeCause({ ...object, spec }, cause);
}

/** A metav1.LabelSelector. */
export interface SelectorObject {
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly matchExpressions: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values: readonly string[];
  }[];
}

const OPERATORS: Readonly<Partial<Record<LabelOperator, string>>> = {
  in: "In",
  notin: "NotIn",
  exists: "Exists",
  "!": "DoesNotExist",
};

/** Parses `a=b,c in (d,e)`. Throws for an invalid selector, and for operators that only queries support. */
export function parseSelector(text: string): SelectorObject {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: SelectorObject["matchExpressions"][number][] = [];
  for (const { key, operator, values } of requirements(text)) {
    if (operator === "=" || operator === "==") {
      setKey(matchLabels, key, values[0] ?? "");
      continue;
    }
    if (operator === "gt" || operator === "lt") {
      throw new Error(`${goQuote(operator)} isn't supported in label selectors`);
    }
    const name = OPERATORS[operator];
    if (name === undefined) throw new Error(`${goQuote(operator)} is not a valid label selector operator`);
    matchExpressions.push({ key, operator: name, values });
  }
  return { matchLabels, matchExpressions };
}

function requirements(text: string): NonNullable<ReturnType<typeof parseLabelSelector>["requirements"]> {
  try {
    return parseLabelSelector(text).requirements ?? [];
  } catch (error) {
    const message = errorMessage(error);
    throw new Error(`couldn't parse the selector string "${text}": ${message}`, { cause: error });
  }
}

/** Returns the labels of a Service's selector. Throws for match expressions, which a Service cannot have. */
export function requireEquality({ matchLabels, matchExpressions }: SelectorObject): Readonly<Record<string, string>> {
  if (matchExpressions.length === 0) return matchLabels;
  const shown = matchExpressions.map(({ key, operator, values }) => `{${key} ${operator} [${values.join(" ")}]}`);
  throw new Error(`match expression [${shown.join(" ")}] not supported on this object`);
}
