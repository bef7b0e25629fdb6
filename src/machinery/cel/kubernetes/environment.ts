import { LITERAL_VALIDATORS } from "../checker/validators.js";
import { Environment } from "../environment.js";
import { FORMAT_ARGUMENTS } from "../extensions/format-arguments.js";
import { LISTS } from "../extensions/lists.js";
import { OPTIONAL_TYPES } from "../extensions/optionals.js";
import { SETS } from "../extensions/sets.js";
import { STRINGS_2 } from "../extensions/strings.js";
import { TWO_VARIABLE_COMPREHENSIONS } from "../extensions/two-variable.js";
import type { ProgramOptions } from "../program.js";
import { AUTHORIZER } from "./authorizer.js";
import { PER_CALL_LIMIT } from "./cost-limits.js";
import { CIDR, IP } from "./net.js";
import { FORMAT } from "./formats.js";
import { KUBERNETES_LISTS, LIST_INCLUDES } from "./lists.js";
import { QUANTITY } from "./quantities.js";
import { REGEX } from "./regex.js";
import { kubernetesCostOf } from "./runtime-cost.js";
import { SEMVER } from "./semver.js";
import { URLS } from "./urls.js";

/** The options with which every expression of Kubernetes is evaluated. */
export const KUBERNETES_PROGRAM: ProgramOptions = {
  costLimit: PER_CALL_LIMIT,
  presenceTestHasCost: false,
  costOf: kubernetesCostOf,
};

let shared: Environment | undefined;
let withIncludes: Environment | undefined;

/**
 * The version of Kubernetes whose function libraries new expressions may use by default: the version before the newest must be
 * able to read stored ones. Stored expressions may use those of the server's own version.
 */
export const LIBRARIES_OF_NEW = "1.36";

/** Whether two versions of Kubernetes have the same function libraries. */
export const haveSameLibraries = (one: string, other: string): boolean => hasIncludes(one) === hasIncludes(other);

/**
 * The environment of all expressions in a version of Kubernetes: its options and function libraries, without variables and object
 * types, which each use adds with `extend`. It is made on first use and shared; extended environments should be cached as well.
 * The libraries of mutating admission policies (`JSON_PATCH`, `MUTATION_TYPES`) are not in it. Source: apiserver's
 * cel/environment/base.go.
 */
export function kubernetesEnvironment(libraries: string = LIBRARIES_OF_NEW): Environment {
  if (!hasIncludes(libraries)) return (shared ??= makeEnvironment());
  return (withIncludes ??= kubernetesEnvironment().extend({ libraries: [LIST_INCLUDES] }));
}

/** K37-240 */
const hasIncludes = (libraries: string): boolean => Number(libraries.split(".")[1]) >= 37;

function makeEnvironment(): Environment {
  return Environment.create({
    homogeneousLiterals: true,
    validators: [...LITERAL_VALIDATORS, FORMAT_ARGUMENTS],
    libraries: [
      OPTIONAL_TYPES,
      STRINGS_2,
      SETS,
      LISTS,
      TWO_VARIABLE_COMPREHENSIONS,
      KUBERNETES_LISTS,
      REGEX,
      URLS,
      QUANTITY,
      IP,
      CIDR,
      FORMAT,
      SEMVER,
      AUTHORIZER,
    ],
  });
}
