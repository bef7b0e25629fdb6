import type { CheckedPod } from "../../../src/api/pod-security/control.js";
import type { Container, EphemeralContainer, PodSpec, Volume } from "../../../src/api/types/core/v1.js";

type SecurityContext = NonNullable<Container["securityContext"]>;
type PodSecurityContext = NonNullable<PodSpec["securityContext"]>;

/** What a pod of these tests may differ in from one that every standard of every version allows. */
export interface Difference {
  readonly spec?: Partial<PodSpec>;
  /** Of the pod. */
  readonly securityContext?: PodSecurityContext;
  /** Of the one container, "a". */
  readonly container?: Partial<Container>;
  readonly annotations?: Readonly<Record<string, string>>;
}

const CONFORMING: SecurityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };

/** A container that conforms, but for what it is given. */
export const container = (name: string, securityContext: SecurityContext = {}): Container => ({
  name,
  image: "i",
  securityContext: { ...CONFORMING, ...securityContext },
});

export const ephemeral = (name: string, securityContext: SecurityContext = {}): EphemeralContainer => ({
  name,
  image: "i",
  securityContext: { ...CONFORMING, ...securityContext },
});

/** A container without a security context. */
export const bare = (name: string): Container => ({ name, image: "i" });

export const volume = (name: string, source: Omit<Volume, "name">): Volume => ({ name, ...source });

export function pod({ spec = {}, securityContext = {}, container: own = {}, annotations }: Difference): CheckedPod {
  return {
    metadata: { annotations },
    spec: {
      containers: [{ ...container("a"), ...own }],
      ...spec,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" }, ...securityContext },
    },
  };
}
