import type { Completer, Completion } from "../command.js";
import type { Factory } from "../connect/factory.js";
import { NO_FILE_COMP, NO_SPACE } from "./directive.js";
import { objectNames, resourceTypes } from "./resource-names.js";

const done = (candidates: readonly string[], directive = NO_FILE_COMP): Completion => ({ candidates, directive });

/**
 * Completes `TYPE NAME...` and `TYPE/NAME...`, as get, delete and describe accept them: first a type, then names of it; once a
 * slash was used every word is type/name. Types may be a list with commas.
 */
export const completeTypesAndNames: Completer = async (factory, { args }, toComplete) => {
  const [first] = args;
  if (first !== undefined && !first.includes("/")) {
    return done(without(await startingWith(factory, first, toComplete), args.slice(1)));
  }
  const slash = toComplete.indexOf("/");
  if (slash >= 0) {
    const type = toComplete.slice(0, slash);
    const names = await startingWith(factory, type, toComplete.slice(slash + 1));
    return done(
      without(
        names.map((name) => `${type}/${name}`),
        args,
      ),
    );
  }
  const types = await typesStartingWith(factory, toComplete);
  return first === undefined
    ? done(types)
    : done(
        types.map((type) => `${type}/`),
        NO_FILE_COMP | NO_SPACE,
      );
};

/** Completes names of one type, for the first operand of a command. */
export function completeNamesOf(type: string): Completer {
  return async (factory, { args }, toComplete) =>
    done(args.length === 0 ? await startingWith(factory, type, toComplete) : []);
}

/** Completes names of one type, for the value of a flag. */
export function completeNames(type: string): Completer {
  return async (factory, _invocation, toComplete) => done(await startingWith(factory, type, toComplete));
}

/** Offers the same words whatever is typed: the shell drops those that do not match. */
export function offerWords(words: readonly string[]): Completer {
  return () => Promise.resolve(done(words));
}

/** Completes a fixed list of words, for the first operand or the value of a flag. */
export function completeWords(words: readonly string[]): Completer {
  return (_factory, _invocation, toComplete) =>
    Promise.resolve(done(words.filter((word) => word.startsWith(toComplete))));
}

async function startingWith(factory: Factory, type: string, prefix: string): Promise<readonly string[]> {
  return (await objectNames(factory, type)).filter((name) => name.startsWith(prefix));
}

async function typesStartingWith(factory: Factory, typed: string): Promise<readonly string[]> {
  const comma = typed.lastIndexOf(",") + 1;
  const types = await resourceTypes(factory);
  return types.filter((type) => type.startsWith(typed.slice(comma))).map((type) => typed.slice(0, comma) + type);
}

function without(candidates: readonly string[], taken: readonly string[]): readonly string[] {
  return candidates.filter((candidate) => !taken.includes(candidate));
}
