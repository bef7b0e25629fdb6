import type { EgressDialers } from "../../../client/transport/dial.js";
import {
  type ConfigurationFormat,
  decodeConfigurationStrictly,
} from "../../../machinery/wire/configuration-document.js";
import { boolean, list, string, struct } from "../../../machinery/schema/build-schema.js";
import { readConfigurationDocument } from "../../../machinery/text/yaml/configuration-document.js";

/** kube-apiserver's AuthenticationConfiguration: the issuers whose tokens are accepted, and the meaning of their claims. */
export interface AuthenticationConfiguration {
  readonly jwt?: readonly JwtAuthenticatorConfiguration[];
  readonly anonymous?: AnonymousConfiguration;
}

export interface AnonymousConfiguration {
  readonly enabled?: boolean;
  /** Left out or empty: every path. */
  readonly conditions?: readonly { readonly path?: string }[];
}

export interface JwtAuthenticatorConfiguration {
  readonly issuer?: IssuerConfiguration;
  readonly claimValidationRules?: readonly ClaimValidationRule[];
  readonly claimMappings?: ClaimMappings;
  readonly userValidationRules?: readonly { readonly expression?: string; readonly message?: string }[];
}

export interface IssuerConfiguration {
  /** The claim "iss" of its tokens, and where its discovery document is. */
  readonly url?: string;
  /** Where the discovery document is instead. */
  readonly discoveryURL?: string;
  /** PEM; left out: the system's authorities. */
  readonly certificateAuthority?: string;
  readonly audiences?: readonly string[];
  readonly audienceMatchPolicy?: string;
  /** {@link isEgressType}: which of the server's egress selections leads to the issuer. Left out: none does. */
  readonly egressSelectorType?: string;
}

export const isEgressType = (type: string): type is keyof EgressDialers =>
  type === "controlplane" || type === "cluster";

export interface ClaimValidationRule {
  readonly claim?: string;
  readonly requiredValue?: string;
  readonly expression?: string;
  readonly message?: string;
}

export interface ClaimMappings {
  readonly username?: PrefixedClaimOrExpression;
  readonly groups?: PrefixedClaimOrExpression;
  readonly uid?: { readonly claim?: string; readonly expression?: string };
  readonly extra?: readonly { readonly key?: string; readonly valueExpression?: string }[];
}

export interface PrefixedClaimOrExpression {
  readonly claim?: string;
  /** Required with a claim; "" sets no prefix. */
  readonly prefix?: string;
  readonly expression?: string;
}

const claimOrExpression = { claim: string, expression: string };
const prefixed = struct("PrefixedClaimOrExpression", { claim: string, prefix: string, expression: string });

const schema = struct("AuthenticationConfiguration", {
  kind: string,
  apiVersion: string,
  jwt: list(
    struct("JWTAuthenticator", {
      issuer: struct("Issuer", {
        url: string,
        discoveryURL: string,
        certificateAuthority: string,
        audiences: list(string),
        audienceMatchPolicy: string,
        egressSelectorType: string,
      }),
      claimValidationRules: list(
        struct("ClaimValidationRule", { ...claimOrExpression, requiredValue: string, message: string }),
      ),
      claimMappings: struct("ClaimMappings", {
        username: prefixed,
        groups: prefixed,
        uid: struct("ClaimOrExpression", claimOrExpression),
        extra: list(struct("ExtraMapping", { key: string, valueExpression: string })),
      }),
      userValidationRules: list(struct("UserValidationRule", { expression: string, message: string })),
    }),
  ),
  anonymous: struct("AnonymousAuthConfig", {
    enabled: boolean,
    conditions: list(struct("AnonymousAuthCondition", { path: string })),
  }),
});

/** The versions have the same fields. */
const AUTHENTICATION_CONFIGURATION: ConfigurationFormat = {
  group: "apiserver.config.k8s.io",
  kind: "AuthenticationConfiguration",
  versions: new Map([
    ["v1", schema],
    ["v1beta1", schema],
    ["v1alpha1", schema],
  ]),
  scheme: "pkg/kubeapiserver/options/authentication.go:888",
};

/**
 * Reads the text of a configuration file, strictly: unknown fields and repeated keys are errors. Throws an Error in kube-apiserver's
 * words; what the fields say is not checked yet.
 */
export function decodeAuthenticationConfiguration(text: string): AuthenticationConfiguration {
  if (text === "") throw new Error("empty config data");
  return decodeConfigurationStrictly<AuthenticationConfiguration>(
    readConfigurationDocument(text),
    AUTHENTICATION_CONFIGURATION,
  ).object;
}
