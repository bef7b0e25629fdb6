import { globalOverload, type Library, memberOverload } from "../functions/declaration.js";
import { BOOL, INT, STRING, type Type } from "../types/type.js";
import { intOf, ErrorValue, type Value } from "../values/value.js";
import { spendSteps } from "../values/meter.js";
import { KubernetesValue, kubernetesType, parsed } from "./kubernetes-value.js";
import { goQuote } from "../../../base/text/go-quote.js";

/** A part of a pre-release: a number is less than a word. */
type Identifier = bigint | string;

/** A semantic version. What it was built from is not compared. */
interface SemanticVersion {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: readonly Identifier[];
}

/** What no semantic version is; the message is that of the Go library that Kubernetes has (blang/semver). */
class SemverError extends Error {}

/** Throws {@link SemverError}. */
function parseSemver(text: string): SemanticVersion {
  if (text === "") throw new SemverError("Version string empty");
  const [majorText = "", minorText, ...others] = text.split(".");
  if (minorText === undefined || others.length === 0) throw new SemverError("No Major.Minor.Patch elements found");
  const [major, minor] = [versionNumber("Major", majorText), versionNumber("Minor", minorText)];
  const [versioned, build] = cut(others.join("."), "+");
  const [patchText, prerelease] = cut(versioned, "-");
  const patch = versionNumber("Patch", patchText);
  const identifiers = (prerelease?.split(".") ?? []).map(identifier);
  for (const part of build?.split(".") ?? []) requireBuild(part);
  return { major, minor, patch, prerelease: identifiers };
}

/** The text before a separator and what is behind it, if it is there. */
function cut(text: string, separator: string): readonly [string, string | undefined] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}

const DIGITS = /^[0-9]*$/;
const WORD = /^[0-9A-Za-z-]*$/;

function versionNumber(name: string, text: string): bigint {
  if (!DIGITS.test(text)) {
    throw new SemverError(`Invalid character(s) found in ${name.toLowerCase()} number ${goQuote(text)}`);
  }
  if (/^0./.test(text)) throw new SemverError(`${name} number must not contain leading zeroes ${goQuote(text)}`);
  return uint64(text);
}

function uint64(text: string): bigint {
  const wrong = (reason: string): SemverError =>
    new SemverError(`strconv.ParseUint: parsing ${goQuote(text)}: ${reason}`);
  if (text === "") throw wrong("invalid syntax");
  if (text.length > 20 || BigInt(text) >= 2n ** 64n) throw wrong("value out of range");
  return BigInt(text);
}

function identifier(text: string): Identifier {
  if (text === "") throw new SemverError("Prerelease is empty");
  if (!WORD.test(text)) throw new SemverError(`Invalid character(s) found in prerelease ${goQuote(text)}`);
  if (!DIGITS.test(text)) return text;
  if (/^0./.test(text)) {
    throw new SemverError(`Numeric PreRelease version must not contain leading zeroes ${goQuote(text)}`);
  }
  return uint64(text);
}

function requireBuild(text: string): void {
  if (text === "") throw new SemverError("Build meta data is empty");
  if (!WORD.test(text)) throw new SemverError(`Invalid character(s) found in build meta data ${goQuote(text)}`);
}

/** -1, 0 or 1, by precedence. */
function compareSemver(a: SemanticVersion, b: SemanticVersion): number {
  const numbers = order(a.major, b.major) || order(a.minor, b.minor) || order(a.patch, b.patch);
  if (numbers !== 0) return numbers;
  // A version comes behind its pre-releases.
  const [count, otherCount] = [a.prerelease.length, b.prerelease.length];
  if (count === 0 || otherCount === 0) return Math.sign(otherCount - count);
  for (const [index, part] of a.prerelease.entries()) {
    const other = b.prerelease[index];
    if (other === undefined) return 1;
    const difference = compareIdentifiers(part, other);
    if (difference !== 0) return difference;
  }
  return count === otherCount ? 0 : -1;
}

function compareIdentifiers(a: Identifier, b: Identifier): number {
  if (typeof a === typeof b) return order(a, b);
  return typeof a === "bigint" ? -1 : 1;
}

function order(a: Identifier, b: Identifier): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `v1.2` as `1.2.0`: without a "v", with all three numbers, and none of them with leading zeros. Throws {@link SemverError}. */
function normalizeSemver(text: string): string {
  const [major = "", minor, ...others] = text.replace(/^v/, "").split(".");
  const written =
    minor === undefined ? [major] : others.length === 0 ? [major, minor] : [major, minor, others.join(".")];
  const parts = written.map(withoutLeadingZeros);
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? "")) {
    throw new SemverError("short version cannot contain PreRelease/Build meta data");
  }
  return [...parts, "0", "0"].slice(0, 3).join(".");
}

function withoutLeadingZeros(part: string): string {
  if (part.length <= 1) return part;
  const stripped = part.replace(/^0+/, "");
  return /^[0-9]/.test(stripped) ? stripped : `0${stripped}`;
}

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
