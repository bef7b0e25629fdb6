/** How far a rule is: kube-apiserver does not obey one that is ALPHA, and `DeclarativeValidationBeta=false` turns off one that is BETA. */
export type Stage = "ALPHA" | "BETA" | "STABLE";

/** A rule of a field, `k8s:beta(since: "1.37")=+k8s:ifEnabled(G)=+k8s:maxItems=8`: its parts are "ifEnabled(G)" and "maxItems=8". */
export interface Rule {
  readonly parts: readonly string[];
  readonly stage: Stage;
}

/** What refuses no value: it says how validation code is made, or repeats what OpenAPI says. */
const NO_RULE =
  /^(optional|opaqueType|listMapKey=.*|validation-gen-nolint|modeDiscriminator|unionDiscriminator|conversion-gen.*|deepcopy-gen.*|openapi-gen.*|prerelease-lifecycle-gen.*|isSubresource.*|supportsSubresource.*|deprecated.*|listType=atomic|minimum=-2147483648)$/;

/** Reads a mark; undefined for one that is no rule. */
export function readRule(mark: string): Rule | undefined {
  if (!mark.startsWith("k8s:")) return undefined;
  const words = mark
    .replace(/ (?:\/\/|# ).*$/, "")
    .split("=+")
    .map((word) =>
      word
        .replace(/^k8s:/, "")
        .replace(/["`]/g, "")
        .replace(/^(\w+Member)\(.*/, "$1")
        .trim(),
    );
  const wrapper = /^(alpha|beta)\(/.exec(words[0] ?? "")?.[1];
  const parts = wrapper === undefined ? words : words.slice(1);
  if (NO_RULE.test(parts.at(-1) ?? "")) return undefined;
  return { parts, stage: wrapper === undefined ? "STABLE" : wrapper === "beta" ? "BETA" : "ALPHA" };
}

/** The gates that a mark names: `featureGate=A,B`. */
export const gatesOfMark = (mark: string): readonly string[] =>
  mark.startsWith("featureGate=") ? mark.slice("featureGate=".length).split(",") : [];

/** The gate of a condition: "G" of "ifEnabled(G)". */
export const gateOfCondition = (part: string): string | undefined => /^if(?:En|Dis)abled\((\w+)\)$/.exec(part)?.[1];
