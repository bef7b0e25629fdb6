/** The user that a check is about. */
export interface AccessUser {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A question to the authorizer: whether the user may use a resource, or a path that is not a resource. */
export type AccessCheck = ResourceAccess | PathAccess;

export interface ResourceAccess {
  readonly user: AccessUser;
  readonly verb: string;
  readonly apiGroup: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** As the expression has it: it may be no selector at all; "" for none. */
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

export interface PathAccess {
  readonly user: AccessUser;
  readonly verb: string;
  readonly path: string;
}

/** The decision of an authorizer. */
export interface AccessDecision {
  readonly decision: "allow" | "deny" | "no-opinion";
  readonly reason?: string | undefined;
  /** The message of the error that it had. */
  readonly error?: string | undefined;
}

/** Decides whether a check is allowed. It must not throw. */
export type Authorize = (check: AccessCheck) => AccessDecision | Promise<AccessDecision>;

/** Ends an evaluation that needs a decision which is not there yet. */
class DecisionMissing extends Error {
  readonly key: string;
  readonly decision: Promise<AccessDecision>;

  constructor(key: string, decision: Promise<AccessDecision>) {
    super("the authorizer has not answered yet");
    this.key = key;
    this.decision = decision;
  }
}

/**
 * The decisions of an authorizer, which are cached: the same check is made once.
 *
 * Evaluation is synchronous and an authorizer need not be. If it returns a promise, {@link decide} ends the evaluation, and
 * {@link evaluate} runs it again when the promise has resolved. A check costs so much that an evaluation within Kubernetes' limits
 * makes at most two, so that it runs at most three times.
 */
export class AccessDecisions {
  readonly #authorize: Authorize;
  readonly #known = new Map<string, AccessDecision>();

  constructor(authorize: Authorize) {
    this.#authorize = authorize;
  }

  /** The decision. Only within {@link evaluate} may the authorizer answer with a promise. */
  decide(check: AccessCheck): AccessDecision {
    const key = JSON.stringify(check);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const answer = this.#authorize(check);
    if (answer instanceof Promise) throw new DecisionMissing(key, answer);
    this.#known.set(key, answer);
    return answer;
  }

  /** What `body`, which evaluates expressions, answers when all decisions that it needs are there. It runs until then, and must have no other effects. */
  async evaluate<T>(body: () => T | Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await body();
      } catch (error) {
        if (!(error instanceof DecisionMissing)) throw error;
        this.#known.set(error.key, await error.decision);
      }
    }
  }
}
