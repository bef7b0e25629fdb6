import type { ApiRequest } from "../request/api-request.js";
import type { User } from "../request/user.js";
import { byPrecedence, type FlowRule, type FlowSchema } from "./flow-schema.js";
import type { PriorityLevel } from "./priority-level.js";

/** A FlowSchema and the level that it sends requests to. */
export interface Flow {
  readonly schema: FlowSchema;
  readonly level: PriorityLevel;
  /** Of every answer to its requests. */
  readonly headers: Readonly<Record<string, string>>;
}

/** How many users' rules are kept. */
const KEPT_USERS = 2000;

interface RuleOfFlow {
  readonly flow: Flow;
  readonly covers: FlowRule["covers"];
}

/** All FlowSchemas in the order of their precedence. It looks up the rules that concern a user once, and keeps them. */
export class FlowSchemas {
  readonly #flows: readonly Flow[];
  readonly #fallback: Flow;
  readonly #rulesOf = new Map<string, readonly RuleOfFlow[]>();

  /** `catchAll` takes what no schema covers. */
  constructor(schemas: readonly FlowSchema[], catchAll: FlowSchema, levelOf: (name: string) => PriorityLevel) {
    this.#flows = schemas.map((schema) => flowOf(schema, levelOf(schema.level)));
    this.#fallback =
      this.#flows.find(({ schema }) => schema.name === catchAll.name) ?? flowOf(catchAll, levelOf(catchAll.level));
  }

  /** Returns the flow of the first schema that covers the request. */
  classify({ info, user }: Pick<ApiRequest, "info" | "user">): Flow {
    for (const { covers, flow } of this.#concerning(user)) if (covers(info)) return flow;
    return this.#fallback;
  }

  /** A user is its name and groups here: no subject looks at more. */
  #concerning(user: User): readonly RuleOfFlow[] {
    const key = user.groups.length === 0 ? user.name : `${user.name}\0${user.groups.join("\0")}`;
    let rules = this.#rulesOf.get(key);
    if (rules === undefined) {
      rules = this.#flows.flatMap((flow) =>
        flow.schema.rules.filter(({ isOf }) => isOf(user)).map(({ covers }) => ({ flow, covers })),
      );
      if (this.#rulesOf.size >= KEPT_USERS) this.#rulesOf.clear();
      this.#rulesOf.set(key, rules);
    }
    return rules;
  }
}

/** Clients are told uids in place of names, which could say what a cluster thinks of them. */
const flowOf = (schema: FlowSchema, level: PriorityLevel): Flow => ({
  schema,
  level,
  headers: {
    "x-kubernetes-pf-flowschema-uid": schema.uid,
    "x-kubernetes-pf-prioritylevel-uid": level.uid,
  },
});

/** Sorts the schemas by precedence, and adds the mandatory ones that the store lacks. */
export function inOrderOfPrecedence(
  schemas: readonly FlowSchema[],
  mandatory: { readonly exempt: FlowSchema; readonly catchAll: FlowSchema },
): readonly FlowSchema[] {
  const has = (name: string): boolean => schemas.some((schema) => schema.name === name);
  const { exempt, catchAll } = mandatory;
  return [
    ...(has(exempt.name) ? [] : [exempt]),
    ...schemas.toSorted(byPrecedence),
    ...(has(catchAll.name) ? [] : [catchAll]),
  ];
}
