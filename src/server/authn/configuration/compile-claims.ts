import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { UserInfo } from "../../../api/types/authentication/v1.js";
import { append } from "../../../base/collections/append.js";
import { duplicate, type FieldError, invalidValue, required } from "../../../machinery/errors/field-error.js";
import { domainPrefixedPathErrors } from "../../../machinery/validation/names.js";
import type {
  ClaimMappings,
  ClaimValidationRule,
  JwtAuthenticatorConfiguration,
  PrefixedClaimOrExpression,
} from "./authentication-configuration.js";
import {
  type Compiled,
  compileClaimRule,
  compileMapping,
  compileUserRule,
  type Expression,
  readsClaim,
} from "./expression.js";

/** A validation rule: an expression, and the message for its failure. */
export interface Rule {
  readonly expression: Expression;
  readonly message: string;
}

/** The expressions of an authenticator. */
export interface CompiledClaims {
  readonly username?: Expression | undefined;
  readonly groups?: Expression | undefined;
  readonly uid?: Expression | undefined;
  readonly extra: readonly { readonly key: string; readonly expression: Expression }[];
  readonly claimRules: readonly Rule[];
  readonly userRules: readonly Rule[];
}

/** Compiles the expressions of an authenticator, and finds the faults of its rules and mappings. */
export function compileClaims(
  config: JwtAuthenticatorConfiguration,
  path: string,
): { readonly compiled: CompiledClaims; readonly errors: readonly FieldError[] } {
  const compiler = new ClaimsCompiler(path);
  const claimRules = compiler.claimRules(config.claimValidationRules ?? []);
  const mappings = compiler.mappings(config.claimMappings ?? {}, claimRules);
  const userRules = compiler.userRules(config.userValidationRules ?? []);
  return { compiled: { ...mappings, claimRules, userRules }, errors: compiler.errors };
}

const UNVERIFIED_EMAIL =
  "claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression";

class ClaimsCompiler {
  readonly errors: FieldError[] = [];

  constructor(private readonly path: string) {}

  claimRules(rules: readonly ClaimValidationRule[]): readonly Rule[] {
    const seen = { claims: new Set<string>(), expressions: new Set<string>() };
    return rules.flatMap((rule, index) => this.#claimRule(rule, `${this.path}.claimValidationRules[${index}]`, seen));
  }

  #claimRule(
    { claim = "", expression = "", requiredValue = "", message = "" }: ClaimValidationRule,
    path: string,
    seen: { readonly claims: Set<string>; readonly expressions: Set<string> },
  ): readonly Rule[] {
    if (claim !== "" && expression !== "") {
      this.errors.push(invalidValue(path, claim, "claim and expression can't both be set"));
      return [];
    }
    if (claim === "" && expression === "") {
      this.errors.push(required(path, "claim or expression is required"));
      return [];
    }
    if (claim !== "") {
      if (message !== "") {
        this.errors.push(invalidValue(`${path}.message`, message, "may not be specified when claim is set"));
      }
      if (seen.claims.has(claim)) this.errors.push(duplicate(`${path}.claim`, claim));
      seen.claims.add(claim);
      return [];
    }
    if (requiredValue !== "") {
      const detail = "may not be specified when expression is set";
      this.errors.push(invalidValue(`${path}.requiredValue`, requiredValue, detail));
    }
    return this.#rule({ expression, message }, path, seen.expressions, compileClaimRule);
  }

  userRules(rules: readonly { readonly expression?: string; readonly message?: string }[]): readonly Rule[] {
    const seen = new Set<string>();
    return rules.flatMap(({ expression = "", message = "" }, index) => {
      const path = `${this.path}.userValidationRules[${index}]`;
      if (expression !== "") return this.#rule({ expression, message }, path, seen, compileUserRule);
      this.errors.push(required(`${path}.expression`));
      return [];
    });
  }

  #rule(
    { expression: text, message }: { readonly expression: string; readonly message: string },
    path: string,
    seen: Set<string>,
    compile: (text: string, path: string) => Compiled,
  ): readonly Rule[] {
    if (seen.has(text)) {
      this.errors.push(duplicate(`${path}.expression`, text));
      return [];
    }
    seen.add(text);
    const expression = this.#accept(compile(text, `${path}.expression`));
    return expression === undefined ? [] : [{ expression, message }];
  }

  mappings(mappings: ClaimMappings, claimRules: readonly Rule[]) {
    const path = `${this.path}.claimMappings`;
    const { username: name = {}, groups: group = {}, uid: id = {} } = mappings;
    const username = this.#claimOrExpression(name, `${path}.username`, true);
    const groups = this.#claimOrExpression(group, `${path}.groups`, false);
    const uid = this.#uid(id, `${path}.uid`);
    const extra = this.#extra(mappings.extra ?? [], `${path}.extra`);
    const readers = [...extra, ...claimRules, ...(username === undefined ? [] : [{ expression: username }])];
    const isVerified = readers.some(({ expression }) => readsClaim(expression, "email_verified"));
    if (username !== undefined && readsClaim(username, "email") && !isVerified) {
      this.errors.push(invalidValue(`${path}.username.expression`, username.text, UNVERIFIED_EMAIL));
    }
    return { username, groups, uid, extra } satisfies FieldsOf<UserInfo>;
  }

  #claimOrExpression(
    { claim = "", prefix, expression = "" }: PrefixedClaimOrExpression,
    path: string,
    isRequired: boolean,
  ): Expression | undefined {
    if (expression !== "" && claim !== "") {
      this.errors.push(invalidValue(path, "", "claim and expression can't both be set"));
    } else if (expression !== "") {
      if (prefix !== undefined) {
        this.errors.push(invalidValue(`${path}.prefix`, prefix, "may not be specified when expression is set"));
      }
      return this.#accept(compileMapping(expression, `${path}.expression`));
    } else if (claim !== "") {
      const detail = "prefix is required when claim is set. It can be set to an empty string to disable prefixing";
      if (prefix === undefined) this.errors.push(required(`${path}.prefix`, detail));
    } else if (isRequired) this.errors.push(required(path, "claim or expression is required"));
    return undefined;
  }

  #uid({ claim = "", expression = "" }: NonNullable<ClaimMappings["uid"]>, path: string): Expression | undefined {
    if (claim !== "" && expression !== "") {
      this.errors.push(invalidValue(path, "", "claim and expression can't both be set"));
      return undefined;
    }
    return expression === "" ? undefined : this.#accept(compileMapping(expression, `${path}.expression`));
  }

  #extra(mappings: NonNullable<ClaimMappings["extra"]>, parent: string): CompiledClaims["extra"] {
    const seen = new Set<string>();
    return mappings.flatMap(({ key = "", valueExpression = "" }, index) => {
      const path = `${parent}[${index}]`;
      append(this.errors, extraKeyErrors(key, `${path}.key`));
      if (seen.has(key)) {
        this.errors.push(duplicate(`${path}.key`, key));
        return [];
      }
      seen.add(key);
      if (valueExpression === "") {
        this.errors.push(required(`${path}.valueExpression`));
        return [];
      }
      const expression = this.#accept(compileMapping(valueExpression, `${path}.valueExpression`));
      return expression === undefined ? [] : [{ key, expression }];
    });
  }

  #accept({ expression, error }: Compiled): Expression | undefined {
    if (error !== undefined) this.errors.push(error);
    return expression;
  }
}

function extraKeyErrors(key: string, path: string): FieldError[] {
  const errors = key === "" ? [required(path)] : domainPrefixedPathErrors(key, path);
  if (key !== key.toLowerCase()) errors.push(invalidValue(path, key, "must be lowercase"));
  const [, domain = ""] = /^([^/]*)\//.exec(key) ?? [];
  if (/(^|\.)(kubernetes|k8s)\.io$/.test(domain)) {
    const detail = "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use";
    errors.push(invalidValue(path, key, detail));
  }
  return errors;
}
