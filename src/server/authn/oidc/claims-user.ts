import type { FieldsOf } from "../../../machinery/meta/received.js";
import { dictionary } from "../../../base/collections/dictionary.js";
import { own } from "../../../base/collections/own.js";
import { errorMessage } from "../../../base/text/error-message.js";
import type { CompiledAuthenticator } from "../configuration/validate.js";
import type { Rule } from "../configuration/compile-claims.js";
import type { Expression } from "../configuration/expression.js";
import { ListValue, ArrayList } from "../../../machinery/cel/values/list.js";
import { type Value, Double } from "../../../machinery/cel/values/value.js";
import type { JsonObject, JsonValue } from "../../../machinery/meta/json.js";
import type { User } from "../../request/user.js";
import { MapValue } from "../../../machinery/cel/values/map.js";
import { unescapeName } from "../../../machinery/structural/rules/escape-name.js";

const CREDENTIAL_ID = "authentication.kubernetes.io/credential-id";

/** Makes the user that claims describe. Throws an Error, in kube-apiserver's words, where a claim is missing or a rule fails. */
export function userOfClaims(authenticator: CompiledAuthenticator, claims: JsonObject): User {
  const bound = claimsValue(claims);
  const name = usernameOf(authenticator, claims, bound);
  const groups = groupsOf(authenticator, claims, bound);
  const uid = uidOf(authenticator, claims, bound);
  const extra = extraOf(authenticator, claims, bound);
  checkRequired(authenticator, claims);
  holds(authenticator.claimRules, bound, "oidc: error evaluating claim validation expression");
  const lists = Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
  const shown = claimsValue({ username: name, uid, groups: [...groups], extra: lists });
  holds(authenticator.userRules, shown, "oidc: error evaluating user info validation rule");
  return {
    name,
    ...(uid !== "" && ({ uid } satisfies FieldsOf<User>)),
    groups,
    ...(Object.keys(extra).length > 0 && ({ extra } satisfies FieldsOf<User>)),
  };
}

function usernameOf({ config, username }: CompiledAuthenticator, claims: JsonObject, bound: Value): string {
  const failure = "oidc: error evaluating username claim expression";
  if (username !== undefined) {
    const name = evaluated(username, bound, failure);
    if (typeof name !== "string") throw new Error(`${failure}: username claim expression must return a string`);
    if (name === "") throw new Error("oidc: empty username via CEL expression is not allowed");
    return name;
  }
  const { claim = "", prefix = "" } = config.claimMappings?.username ?? {};
  const name = stringClaim(claims, claim, `oidc: parse username claims ${JSON.stringify(claim)}`);
  if (claim === "email" && Object.hasOwn(claims, "email_verified")) {
    const isVerified = claims["email_verified"];
    if (typeof isVerified !== "boolean") {
      throw new Error(`oidc: parse 'email_verified' claim: ${cannotUnmarshal(isVerified, "bool")}`);
    }
    if (!isVerified) throw new Error("oidc: email not verified");
  }
  return prefix + name;
}

function groupsOf({ config, groups }: CompiledAuthenticator, claims: JsonObject, bound: Value): readonly string[] {
  const { claim = "", prefix = "" } = config.claimMappings?.groups ?? {};
  if (claim !== "" && Object.hasOwn(claims, claim)) {
    const value = own(claims, claim);
    if (typeof value === "string") return [prefix + value];
    if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.map((one) => prefix + one);
    if (value === null) return [];
    throw new Error(`oidc: parse groups claim ${JSON.stringify(claim)}: ${cannotUnmarshal(value, "string")}`);
  }
  if (groups === undefined) return [];
  const failure = "oidc: error evaluating group claim expression";
  return stringsOf(evaluated(groups, bound, failure), failure);
}

function uidOf({ config, uid }: CompiledAuthenticator, claims: JsonObject, bound: Value): string {
  const { claim = "" } = config.claimMappings?.uid ?? {};
  if (claim !== "") return stringClaim(claims, claim, `oidc: parse uid claim ${JSON.stringify(claim)}`);
  if (uid === undefined) return "";
  const failure = "oidc: error evaluating uid claim expression";
  const value = evaluated(uid, bound, failure);
  if (typeof value !== "string") throw new Error(`${failure}: uid claim expression must return a string`);
  return value;
}

function extraOf(
  { extra }: CompiledAuthenticator,
  claims: JsonObject,
  bound: Value,
): Readonly<Record<string, readonly string[]>> {
  const jti = claims["jti"];
  const found = typeof jti === "string" && jti !== "" ? { [CREDENTIAL_ID]: [`JTI=${jti}`] } : {};
  const mapped = extra.map(({ key, expression }) => {
    const value = expression.evaluate(bound);
    const failure = `oidc: error evaluating extra claim expression: ${expression.text}`;
    return [key, stringsOf(value, failure)] as const;
  });
  return { ...found, ...Object.fromEntries(mapped.filter(([, values]) => values.length > 0)) };
}

function checkRequired({ config }: CompiledAuthenticator, claims: JsonObject): void {
  for (const { claim = "", requiredValue = "" } of config.claimValidationRules ?? []) {
    if (claim === "") continue;
    if (!Object.hasOwn(claims, claim)) throw new Error(`oidc: required claim ${claim} not present in ID token`);
    const value = stringClaim(claims, claim, `oidc: parse claim ${claim}`);
    if (value !== requiredValue) {
      throw new Error(`oidc: required claim ${claim} value does not match. Got = ${value}, want = ${requiredValue}`);
    }
  }
}

function holds(rules: readonly Rule[], bound: Value, failure: string): void {
  // All are evaluated before one is judged: a rule that cannot be evaluated comes first.
  const results = rules.map((rule) => [rule, evaluated(rule.expression, bound, failure)] as const);
  for (const [{ expression, message }, value] of results) {
    if (typeof value !== "boolean") throw new Error(`${failure}: validation expression must return a boolean`);
    if (!value) throw new Error(`${failure}: validation expression '${expression.text}' failed: ${message}`);
  }
}

function evaluated(expression: Expression, bound: Value, failure: string): Value {
  try {
    return expression.evaluate(bound);
  } catch (error) {
    throw new Error(`${failure}: ${errorMessage(error)}`, { cause: error });
  }
}

/** A string or a list of strings, without empty ones; null is none. */
function stringsOf(value: Value, failure: string): readonly string[] {
  const values = value === null ? [] : value instanceof ListValue ? value.toArray() : [value];
  if (!values.every((one): one is string => typeof one === "string")) {
    throw new Error(`${failure}: expression must return a string or a list of strings`);
  }
  return values.filter((one) => one !== "");
}

function stringClaim(claims: JsonObject, name: string, failure: string): string {
  if (!Object.hasOwn(claims, name)) throw new Error(`${failure}: claim not present`);
  const value = own(claims, name);
  if (value === null) return "";
  if (typeof value !== "string") throw new Error(`${failure}: ${cannotUnmarshal(value, "string")}`);
  return value;
}

/** encoding/json's words. */
function cannotUnmarshal(value: JsonValue | undefined, wanted: string): string {
  const kind = Array.isArray(value) ? "array" : KINDS[typeof value];
  return `json: cannot unmarshal ${kind} into Go value of type ${wanted}`;
}

const KINDS: Readonly<Record<string, string>> = dictionary({
  boolean: "bool",
  number: "number",
  bigint: "number",
  string: "string",
  object: "object",
});

/** A JSON value as expressions see a claim: every number is a double, and names may be escaped (`claims.foo__dot__bar`). */
function claimsValue(value: JsonValue): Value {
  if (typeof value === "number" || typeof value === "bigint") return new Double(Number(value));
  if (Array.isArray(value)) return new ArrayList(value.map(claimsValue));
  if (typeof value !== "object" || value === null) return value;
  return new NamedValues(new Map(Object.entries(value).map(([name, held]) => [name, claimsValue(held)])));
}

/** A map that finds "a.b" by `a__dot__b` too. */
class NamedValues extends MapValue {
  constructor(private readonly values: ReadonlyMap<string, Value>) {
    super();
  }

  get size(): number {
    return this.values.size;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== "string") return undefined;
    return this.values.get(unescapeName(key) ?? key);
  }

  keys(): Iterable<Value> {
    return this.values.keys();
  }
}
