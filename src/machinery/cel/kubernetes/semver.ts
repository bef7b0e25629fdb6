import { globalOverload, type Library, memberOverload } from "../functions/declaration.js";
import { BOOL, INT, STRING, type Type } from "../types/type.js";
import { intOf } from "../values/int.js";
import { spendSteps } from "../values/meter.js";
import { ErrorValue, type Value } from "../values/value.js";
import { KubernetesValue, kubernetesType } from "./kubernetes-value.js";
import { parsed } from "./parsed.js";
import { compareSemver, normalizeSemver, parseSemver, type SemanticVersion, SemverError } from "./semver-version.js";

export const SEMVER_TYPE = kubernetesType("Semver");

/** A semantic version. */
class Semver extends KubernetesValue {
  readonly type: Type = SEMVER_TYPE;
  readonly version: SemanticVersion;

  constructor(version: SemanticVersion) {
    super();
    this.version = version;
  }

  equals(other: Value): boolean {
    return other instanceof Semver && compare(this, other) === 0;
  }
}

function compare(a: Semver, b: Semver): number {
  spendSteps(Math.min(a.version.prerelease.length, b.version.prerelease.length));
  return compareSemver(a.version, b.version);
}

function parse(text: string, normalize = false): Semver | ErrorValue {
  const version = parsed(text, (given) => parseSemver(normalize ? normalizeSemver(given) : given), SemverError);
  return version instanceof ErrorValue ? version : new Semver(version);
}

const isSemver = (text: string, normalize = false): boolean => parse(text, normalize) instanceof Semver;

const S = SEMVER_TYPE;

/** A number of the version; one that int64 cannot hold wraps around, as in Go. */
function part(name: "major" | "minor" | "patch") {
  const call = ({ version }: Semver): Value => intOf(BigInt.asIntN(64, version[name]));
  return { name, overloads: [memberOverload(`semver_${name}`, [S], INT, call)] };
}

/** Kubernetes' functions of semantic versions. Source: apiserver's cel/library, in version 1. */
export const SEMVER: Library = {
  functions: [
    {
      name: "semver",
      overloads: [
        globalOverload("string_to_semver", [STRING], S, (text: string) => parse(text)),
        globalOverload("string_bool_to_semver", [STRING, BOOL], S, parse),
      ],
    },
    {
      name: "isSemver",
      overloads: [
        globalOverload("is_semver_string", [STRING], BOOL, (text: string) => isSemver(text)),
        globalOverload("is_semver_string_bool", [STRING, BOOL], BOOL, isSemver),
      ],
    },
    {
      name: "isGreaterThan",
      overloads: [memberOverload("semver_is_greater_than", [S, S], BOOL, (a: Semver, b: Semver) => compare(a, b) > 0)],
    },
    {
      name: "isLessThan",
      overloads: [memberOverload("semver_is_less_than", [S, S], BOOL, (a: Semver, b: Semver) => compare(a, b) < 0)],
    },
    { name: "compareTo", overloads: [memberOverload("semver_compare_to", [S, S], INT, compare)] },
    part("major"),
    part("minor"),
    part("patch"),
  ],
};
