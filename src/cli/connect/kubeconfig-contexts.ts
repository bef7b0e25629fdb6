import { goQuote } from "../../base/text/go-quote.js";
import { withMistyped } from "../../base/text/mistyped.js";
import type { KubeconfigAccess } from "./kubeconfig-access.js";

/** Makes a context of the files the current one. Throws where there is none of that name. */
export async function switchContext(access: KubeconfigAccess, name: string): Promise<void> {
  const config = await access.start();
  if (name === "") throw new Error("empty context names are not allowed");
  if (!config.contexts.has(name)) {
    const error = new Error(`no context exists with the name: ${goQuote(name)}`);
    throw withMistyped(error, () => ({ typed: name, known: config.contexts.keys() }));
  }
  config.currentContext = name;
  await access.modify(config, true);
}

/** Gives a context another name, in the file that it is in; the current context follows. Throws where `to` is a context already. */
export async function renameContext(access: KubeconfigAccess, from: string, to: string): Promise<void> {
  const config = await access.start();
  const file = access.file();
  const context = config.contexts.get(from);
  if (context === undefined) {
    const error = new Error(`cannot rename the context ${goQuote(from)}, it's not in ${file}`);
    throw withMistyped(error, () => ({ typed: from, known: config.contexts.keys() }));
  }
  if (config.contexts.has(to)) {
    throw new Error(`cannot rename the context ${goQuote(from)}, the context ${goQuote(to)} already exists in ${file}`);
  }
  config.contexts.set(to, context);
  config.contexts.delete(from);
  if (config.currentContext === from) config.currentContext = to;
  await access.modify(config, true);
}
