import type { Completer, Completion } from "../command.js";
import type { Factory } from "../connect/factory.js";
import { NO_FILE_COMP, NO_SPACE } from "./directive.js";
import { objectNames } from "./resource-names.js";

/**
 * `TYPE NAME...` and `TYPE/NAME...` where only some types make sense, which are offered without asking the server. Without
 * `repeat` one name is all the command takes.
 */
export function completeListedTypes(types: readonly string[], { repeat = true } = {}): Completer {
  return async (factory, { args }, toComplete) => {
    const [first] = args;
    if (first !== undefined && !first.includes("/")) {
      if (!repeat && args.length > 1) return done([]);
      return done(without(await namesOf(factory, first, toComplete), args.slice(1)));
    }
    const slash = toComplete.indexOf("/");
    if (slash >= 0) {
      if (!repeat && first !== undefined) return done([]);
      const type = toComplete.slice(0, slash);
      const names = await namesOf(factory, type, toComplete.slice(slash + 1));
      return done(
        without(
          names.map((name) => `${type}/${name}`),
          args,
        ),
      );
    }
    const fitting = types.filter((type) => type.startsWith(toComplete));
    if (first === undefined) return done(fitting);
    if (!repeat) return done([]);
    return done(
      fitting.map((type) => `${type}/`),
      NO_FILE_COMP | NO_SPACE,
    );
  };
}

const done = (candidates: readonly string[], directive = NO_FILE_COMP): Completion => ({ candidates, directive });

const without = (candidates: readonly string[], taken: readonly string[]): readonly string[] =>
  candidates.filter((candidate) => !taken.includes(candidate));

async function namesOf(factory: Factory, type: string, prefix: string): Promise<readonly string[]> {
  return (await objectNames(factory, type)).filter((name) => name.startsWith(prefix));
}
