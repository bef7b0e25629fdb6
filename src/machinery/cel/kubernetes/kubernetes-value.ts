import type { VariableDeclaration } from "../functions/declaration.js";
import { objectType, type Type, typeType } from "../types/type.js";
import { NO_SUCH_OVERLOAD, ErrorValue, OpaqueValue, type Value } from "../values/value.js";
import { spendSteps } from "../values/meter.js";

/** A value of one of Kubernetes' types (a quantity, a URL). It can be compared with a value of its type, and with null. */
export abstract class KubernetesValue extends OpaqueValue {
  override isEqualTo(other: Value): boolean | ErrorValue {
    if (other === null) return false;
    return other instanceof KubernetesValue && other.type.name === this.type.name
      ? this.equals(other)
      : NO_SUCH_OVERLOAD;
  }
}

/** Makes a type whose name is only for messages and `type(x)`; expressions cannot construct it, and it has no fields. */
export function kubernetesType(name: string): Type {
  return objectType(`kubernetes.${name}`);
}

/** Makes the name of a type one that expressions can write: `type(x) == net.IP`. */
export function typeVariable(type: Type): VariableDeclaration {
  return { name: type.name, type: typeType(type), value: type };
}

/** What reading the shortest text takes, and what the error of a wrong one takes beside that. */
const STEPS = 20;
const STEPS_OF_FAILURE = 200;

/** Returns the result of a parser, or an error value if it throws a `refusal`. Errors of other classes pass through. */
export function parsed<T>(
  text: string,
  parse: (text: string) => T,
  refusal: abstract new (...args: never[]) => Error,
  message: (problem: string) => string = (problem) => problem,
): T | ErrorValue {
  spendSteps(STEPS + text.length);
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof refusal)) throw error;
    spendSteps(STEPS_OF_FAILURE);
    return new ErrorValue(message(error.message));
  }
}
