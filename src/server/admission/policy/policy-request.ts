import type { CompiledExpression } from "../../../api/admission/expression-environment.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { AdmissionAttributes } from "../attributes.js";
import { namespaceVariable } from "../expressions/evaluated-request.js";
import { EvaluationRun } from "../expressions/evaluation-run.js";
import { RequestAuthorizer, requestBindings, type RequestInput } from "../expressions/request-bindings.js";
import type { ServerMeasures } from "../../metrics/measures.js";
import type { AdmissionContext } from "../plugin.js";

/** The input of one evaluation of a policy. */
export type PolicyInput = Pick<RequestInput, "matched" | "objects" | "parameter">;

export interface RunOptions {
  readonly variables: ReadonlyMap<string, CompiledExpression>;
  readonly budget: number;
  /** Whether `authorizer` has a value. */
  readonly authorizer: boolean;
  /** Whether `namespaceObject` has a value; in match conditions it has none. */
  readonly namespaceObject: boolean;
}

/** A request, as the expressions of all policies read it. A part that no policy reads is never computed. */
export class PolicyRequest {
  readonly #authorizer: RequestAuthorizer;
  #namespace: Promise<JsonObject | null> | undefined;

  constructor(
    readonly attributes: AdmissionAttributes,
    private readonly context: AdmissionContext,
  ) {
    this.#authorizer = new RequestAuthorizer(attributes, context.authorize);
  }

  /** Where what policies do is measured; undefined while nothing is. */
  get measures(): ServerMeasures | undefined {
    return this.context.measuring?.on;
  }

  /** The variable `namespaceObject`. Rejects with 404 when the namespace does not exist. */
  namespace(): Promise<JsonObject | null> {
    this.#namespace ??= namespaceVariable(this.attributes, this.context.objects);
    return this.#namespace;
  }

  async run(input: PolicyInput, options: RunOptions): Promise<EvaluationRun> {
    const { variables, budget } = options;
    const bindings = requestBindings(this.attributes, {
      ...input,
      namespaceObject: options.namespaceObject ? await this.namespace() : null,
      authorizer: options.authorizer ? this.#authorizer : undefined,
    });
    const { signal } = this.attributes;
    return new EvaluationRun({ bindings, variables, budget, signal, decisions: this.#authorizer.decisions });
  }
}
