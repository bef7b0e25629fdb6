import { goQuote } from "../../base/text/go-quote.js";
import { compareKeys } from "../../base/collections/key-order.js";
import type { Kubeconfig } from "../../client/config/kubeconfig.js";
import { ChoiceMemory } from "../../cli/choices-before.js";
import type { Command, Completer, Invocation } from "../../cli/command.js";
import { completeContexts } from "../../cli/completion/global-completers.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { canAsk } from "../../cli/terminal/terminal-screen.js";
import { accessOf, type KubeconfigAccess } from "../../cli/connect/kubeconfig-access.js";
import { renameContext, switchContext } from "../../cli/connect/kubeconfig-contexts.js";
import { writeNames } from "../../cli/name-list.js";

/** The action of `ctx` that the arguments choose. */
export type CtxAction =
  | { readonly type: "list" | "back" | "current" | "unset" }
  /** A name, or `NEW=OLD` where no context has that name. */
  | { readonly type: "take"; readonly word: string }
  | { readonly type: "delete"; readonly names: readonly string[] };

export interface CtxOptions {
  readonly action: CtxAction;
  readonly access: KubeconfigAccess;
  readonly memory: ChoiceMemory;
  /** Shows the picker; undefined where stdin or stdout is no terminal. */
  readonly pick: ((names: readonly string[], current: string) => Promise<string>) | undefined;
  readonly out: Pick<Factory, "streams" | "look">;
}

/** The command `ctx`, kubets' own, which works like kubectx. */
export function ctxCommand(run = runCtx): Command {
  return {
    use: "ctx [NAME | - | NEW_NAME=NAME]",
    description: `List the contexts of the kubeconfig, or switch to one. On a terminal, without arguments, it is picked from the list.

"-" switches to the context before. NEW_NAME=NAME renames a context; "." stands for the current one. The files are those of "{{program}} config".`,
    examples: `# Pick a context; in a pipe, list them
{{program}} ctx

# Switch to dev, and back
{{program}} ctx dev
{{program}} ctx -

# The name of the current context
{{program}} ctx -c

# Rename the current context to prod, and eu-1 to europe
{{program}} ctx prod=.
{{program}} ctx europe=eu-1

# Delete two contexts; their clusters and users stay
{{program}} ctx -d old older`,
    flags: [
      { name: "current", short: "c", type: "bool", usage: "Print the name of the current context" },
      { name: "delete", short: "d", type: "bool", usage: "Delete the contexts that are named; . is the current one" },
      { name: "unset", short: "u", type: "bool", usage: "Have no current context" },
    ],
    execute: async (factory, invocation) => run(complete(factory, invocation)),
    completeArgs: completeNames,
  };
}

/** Several with --delete, else one. */
const completeNames: Completer = async (factory, invocation, toComplete) => {
  const { args, flags } = invocation;
  const { candidates, directive } = await completeContexts(factory, invocation, toComplete);
  const left = flags.bool("delete") ? candidates.filter((name) => !args.includes(name)) : candidates;
  return { candidates: args.length === 0 || flags.bool("delete") ? left : [], directive };
};

function complete(factory: Factory, invocation: Invocation): CtxOptions {
  const action = readAction(invocation);
  const access = accessOf(factory, invocation);
  return {
    action,
    access,
    memory: new ChoiceMemory(access.sources, { ...factory, flags: invocation.flags }),
    pick:
      action.type === "list" && canAsk(factory)
        ? async (names, current) => {
            invocation.handleSignals();
            const { pickName } = await import("../../cli/terminal/picker.js");
            return pickName({ what: "context", names, current, look: factory.look }, factory, invocation.signal);
          }
        : undefined,
    out: factory,
  };
}

function readAction(invocation: Invocation): CtxAction {
  const { args, flags } = invocation;
  const asked = ["current", "delete", "unset"].filter((flag) => flags.bool(flag));
  const [flag] = asked;
  if (flags.changed("context")) {
    throw usageError(invocation, "--context is for one command: name the context to switch to without it");
  }
  if (asked.length > 1) throw usageError(invocation, `--${asked.join(" and --")} cannot be used together`);
  if (args.includes("")) throw usageError(invocation, "the name of a context cannot be empty");
  if (flag === "delete") {
    if (args.length === 0) throw usageError(invocation, "--delete needs the names of contexts");
    return { type: "delete", names: [...new Set(args)] };
  }
  const most = flag === undefined ? 1 : 0;
  if (args.length > most) throw usageError(invocation, `expected at most ${most} argument(s), got ${args.length}`);
  if (flag !== undefined) return { type: flag === "current" ? "current" : "unset" };
  const [word] = args;
  if (word === undefined) return { type: "list" };
  return word === "-" ? { type: "back" } : { type: "take", word };
}

export async function runCtx(options: CtxOptions): Promise<void> {
  const { action, access, out } = options;
  const say = (line: string): void => void out.streams.out.write(`${line}\n`);
  const config = await access.start();
  switch (action.type) {
    case "list":
      return list(config, options);
    case "current":
      return say(currentOf(config));
    case "back":
      return switchTo(before(config, options), config, options);
    case "take":
      return take(action.word, config, options);
    case "delete":
      return deleteContexts(action.names, config, options);
    case "unset":
      await unset(access);
      return say("No context is the current one now.");
  }
}

/** In each file that has one: the next would be the current context otherwise. */
async function unset(access: KubeconfigAccess): Promise<void> {
  for (let config = await access.start(); config.currentContext !== ""; config = await access.start()) {
    await access.modify({ ...config, currentContext: "" }, true);
  }
}

async function list(config: Kubeconfig, options: CtxOptions): Promise<void> {
  const { access, out, pick } = options;
  const names = [...config.contexts.keys()].sort(compareKeys);
  if (names.length === 0) out.streams.err.write(`There are no contexts in ${access.file()}\n`);
  else if (pick === undefined) writeNames(names, config.currentContext, out);
  else await switchTo(await pick(names, config.currentContext), config, options);
}

function before({ contexts }: Kubeconfig, { memory }: CtxOptions): string {
  const { context } = memory.read();
  if (context === undefined) throw new Error("no context was in use before, as far as ctx has switched them");
  if (!contexts.has(context)) throw new Error(`the context before, ${goQuote(context)}, is not there any more`);
  return context;
}

async function switchTo(name: string, { currentContext }: Kubeconfig, options: CtxOptions): Promise<void> {
  const { access, memory, out } = options;
  await switchContext(access, name);
  if (currentContext !== "" && currentContext !== name) {
    memory.change((choices) => {
      choices.context = currentContext;
    });
  }
  out.streams.out.write(`Switched to context ${goQuote(name)}.\n`);
}

/** A name that holds "=" is a name where a context has it. */
async function take(word: string, config: Kubeconfig, options: CtxOptions): Promise<void> {
  if (config.contexts.has(word) || !word.includes("=")) return switchTo(word, config, options);
  const { access, memory, out } = options;
  const [to, from] = renaming(word, config);
  await renameContext(access, from, to);
  memory.change((choices) => {
    if (choices.context === from) choices.context = to;
    const namespace = choices.namespaces.get(from);
    if (namespace === undefined) return;
    choices.namespaces.delete(from);
    choices.namespaces.set(to, namespace);
  });
  out.streams.out.write(`Context ${goQuote(from)} renamed to ${goQuote(to)}.\n`);
}

/** Both names may hold "=": the first of them that a context follows parts them. */
function renaming(word: string, config: Kubeconfig): readonly [to: string, from: string] {
  const parts = word.split("=");
  const pairs = parts.slice(1).map((_, index) => [parts.slice(0, index + 1), parts.slice(index + 1)] as const);
  const [first, ...others] = pairs.map(([to, from]) => [to.join("="), from.join("=")] as const);
  if (first === undefined) throw new Error(`${goQuote(word)} names no context to rename`);
  const [to, from] = [first, ...others].find(([, name]) => name === "." || config.contexts.has(name)) ?? first;
  if (to === "" || from === "") throw new Error("a context is renamed by NEW_NAME=NAME: neither can be empty");
  return [to, from === "." ? currentOf(config) : from];
}

/** All of them or, where one is not there, none. */
async function deleteContexts(words: readonly string[], config: Kubeconfig, options: CtxOptions): Promise<void> {
  const { access, memory, out } = options;
  const names = new Set(words.map((word) => (word === "." && !config.contexts.has(".") ? currentOf(config) : word)));
  const missing = [...names].filter((name) => !config.contexts.has(name));
  if (missing.length > 0) {
    throw new Error(`no context was deleted: ${missing.map(goQuote).join(", ")} not in ${access.file()}`);
  }
  for (const name of names) config.contexts.delete(name);
  await access.modify(config, true);
  memory.change((choices) => {
    for (const name of names) choices.namespaces.delete(name);
  });
  for (const name of names) out.streams.out.write(`Deleted context ${goQuote(name)}.\n`);
  if (names.has(config.currentContext)) {
    out.streams.err.write(
      `Warning: ${goQuote(config.currentContext)} was the current context, switch to another one\n`,
    );
  }
}

function currentOf({ currentContext }: Kubeconfig): string {
  if (currentContext === "") throw new Error("no context is the current one");
  return currentContext;
}
