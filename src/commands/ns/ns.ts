import { append } from "../../base/collections/append.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Kubeconfig, KubeconfigContext } from "../../client/config/kubeconfig.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { ChoiceMemory } from "../../cli/choices-before.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeNamespaces, firstOperand } from "../../cli/completion/global-completers.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { canAsk } from "../../cli/terminal/terminal-screen.js";
import { accessOf, type KubeconfigAccess } from "../../cli/connect/kubeconfig-access.js";
import { writeNames } from "../../cli/name-list.js";
import { nearest } from "../../cli/advice/suggestions.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { RestMapping } from "../../machinery/rest-mapper.js";
import { dns1123LabelErrors } from "../../machinery/validation/names.js";
import { Helper } from "../../resource/helper.js";

/** The action of `ns` that the arguments choose. */
export type NsAction =
  | { readonly type: "list" | "back" | "current" }
  /** `force` asks no server whether there is such a namespace. */
  | { readonly type: "switch"; readonly name: string; readonly force: boolean };

export interface NsOptions {
  readonly action: NsAction;
  /** Of --context; "" is the current one. */
  readonly context: string;
  readonly access: KubeconfigAccess;
  readonly memory: ChoiceMemory;
  readonly client: () => Promise<RestClient>;
  /** Shows the picker; undefined where stdin or stdout is no terminal. */
  readonly pick: ((names: readonly string[], current: string) => Promise<string>) | undefined;
  readonly out: Pick<Factory, "streams" | "look">;
}

const NAMESPACES: RestMapping = {
  resource: { group: "", version: "v1", resource: "namespaces" },
  kind: { group: "", version: "v1", kind: "Namespace" },
  namespaced: false,
};
const PAGE = 500;

/** The command `ns`, kubets' own, which works like kubens. */
export function nsCommand(run = runNs): Command {
  return {
    use: "ns [NAME | -]",
    description: `List the namespaces of the cluster, or make one that of the current context. On a terminal, without arguments, it is picked from the list.

"-" switches to the namespace before, which each context has of its own. With --context it is about another context.`,
    examples: `# Pick a namespace; in a pipe, list them
{{program}} ns

# Work in shop, then in the namespace before again
{{program}} ns shop
{{program}} ns -

# The namespace in use
{{program}} ns -c

# One that the server does not show or does not have yet
{{program}} ns later --force`,
    flags: [
      { name: "current", short: "c", type: "bool", usage: "Print the namespace of the context" },
      { name: "force", short: "f", type: "bool", usage: "Do not ask the server whether there is such a namespace" },
    ],
    execute: async (factory, invocation) => run(complete(factory, invocation)),
    completeArgs: firstOperand(completeNamespaces),
  };
}

function complete(factory: Factory, invocation: Invocation): NsOptions {
  const action = readAction(invocation);
  const access = accessOf(factory, invocation);
  return {
    action,
    context: invocation.flags.string("context"),
    access,
    memory: new ChoiceMemory(access.sources, { ...factory, flags: invocation.flags }),
    client: factory.restClient,
    pick:
      action.type === "list" && canAsk(factory)
        ? async (names, current) => {
            invocation.handleSignals();
            const { pickName } = await import("../../cli/terminal/picker.js");
            return pickName({ what: "namespace", names, current, look: factory.look }, factory, invocation.signal);
          }
        : undefined,
    out: factory,
  };
}

function readAction(invocation: Invocation): NsAction {
  const { args, flags } = invocation;
  const [current, force] = [flags.bool("current"), flags.bool("force")];
  const [name] = args;
  if (flags.changed("namespace")) {
    throw usageError(invocation, "--namespace is for one command: name the namespace to switch to without it");
  }
  if (args.length > 1) throw usageError(invocation, `expected at most 1 argument, got ${args.length}`);
  if (current && (force || name !== undefined)) throw usageError(invocation, "--current stands alone");
  if (force && (name === undefined || name === "-")) throw usageError(invocation, "--force needs a namespace");
  if (current) return { type: "current" };
  if (name === undefined) return { type: "list" };
  if (name === "-") return { type: "back" };
  const [fault] = dns1123LabelErrors(name);
  if (fault !== undefined) throw usageError(invocation, `${goQuote(name)} is not a valid namespace name: ${fault}`);
  return { type: "switch", name, force };
}

export async function runNs(options: NsOptions): Promise<void> {
  const { action, access, memory, out, pick } = options;
  const config = await access.start();
  const { name, context } = contextOf(config, options);
  const namespace = context.namespace || "default";
  const switchTo = (wanted: string): Promise<void> => switchNamespace(wanted, { config, name, context }, options);
  switch (action.type) {
    case "current":
      return void out.streams.out.write(`${namespace}\n`);
    case "back": {
      const before = memory.read().namespaces.get(name);
      if (before === undefined) throw new Error(`no namespace was in use before in context ${goQuote(name)}`);
      return switchTo(before);
    }
    case "switch":
      if (!action.force) await requireNamespace(action.name, name, options);
      return switchTo(action.name);
    case "list": {
      const names = await namespaceNames(options);
      if (pick === undefined) writeNames(names, namespace, out);
      else await switchTo(await pick(names, namespace));
    }
  }
}

interface Place {
  readonly name: string;
  readonly context: KubeconfigContext;
}

function contextOf({ contexts, currentContext }: Kubeconfig, { context: given }: NsOptions): Place {
  const name = given || currentContext;
  if (name === "") throw new Error("no context is the current one: switch to one with ctx NAME first");
  const context = contexts.get(name);
  if (context === undefined) throw new Error(`no context exists with the name: ${goQuote(name)}`);
  return { name, context };
}

async function switchNamespace(
  wanted: string,
  { config, name, context }: Place & { readonly config: Kubeconfig },
  { access, memory, out }: NsOptions,
): Promise<void> {
  const before = context.namespace || "default";
  config.contexts.set(name, { ...context, namespace: wanted });
  await access.modify(config, true);
  if (before !== wanted) memory.change(({ namespaces }) => void namespaces.set(name, before));
  out.streams.out.write(`Context ${goQuote(name)} works in namespace ${goQuote(wanted)} now.\n`);
}

/** Throws an error with a way on where the namespace is not there, or the server does not say. */
async function requireNamespace(wanted: string, context: string, options: NsOptions): Promise<void> {
  try {
    await new Helper(await options.client(), NAMESPACES).get("", wanted);
  } catch (error) {
    if (!isNotFound(error))
      throw Object.assign(error as Error, { advice: "--force switches without asking the server." });
    const message = `no namespace ${goQuote(wanted)} in context ${goQuote(context)}; --force switches to it all the same`;
    throw Object.assign(new Error(message), await adviceOn(wanted, options));
  }
}

/** For a person: what was probably meant. */
async function adviceOn(wanted: string, options: NsOptions): Promise<{ readonly advice?: string }> {
  if (options.out.streams.err.isTTY !== true) return {};
  const near = nearest(wanted, await namespaceNames(options).catch(() => []));
  return near === undefined ? {} : { advice: `Did you mean ${goQuote(near)}?` };
}

async function namespaceNames({ client }: NsOptions): Promise<readonly string[]> {
  const helper = new Helper(await client(), NAMESPACES);
  const names: string[] = [];
  let next = "";
  do {
    const page = await helper.list("", { limit: PAGE, continue: next });
    append(
      names,
      ((page.items ?? []) as readonly KubeObject[]).map(({ metadata }) => metadata?.name ?? ""),
    );
    next = (page.metadata as { readonly continue?: string } | undefined)?.continue ?? "";
  } while (next !== "");
  return names;
}
