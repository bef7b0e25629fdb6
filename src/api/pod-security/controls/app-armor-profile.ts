import { goQuote } from "../../../base/text/go-quote.js";
import type { AppArmorProfile } from "../../types/core/v1.js";
import { type CheckedPod, containersOf, type Control, distinct, plural, quoted, setters } from "../control.js";

const ALLOWED: ReadonlySet<string> = new Set(["RuntimeDefault", "Localhost"]);
/** How profiles were chosen before 1.30. */
const ANNOTATION = "container.apparmor.security.beta.kubernetes.io/";

/** A profile without a type chooses none, which is not allowed. */
const typeOf = (profile: AppArmorProfile | undefined): string | undefined => profile && (profile.type ?? "");

const allowedValue = (profile: string): boolean =>
  profile === "" || profile === "runtime/default" || profile.startsWith("localhost/");

const forbiddenAnnotations = ({ metadata }: CheckedPod): readonly string[] =>
  Object.entries(metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(ANNOTATION) && !allowedValue(value))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .toSorted();

/** No container goes without the runtime's AppArmor profile or one of the node. */
export const appArmorProfile: Control = {
  id: "appArmorProfile",
  level: "baseline",
  revisions: [
    {
      since: 0,
      check(pod) {
        const own = typeOf(pod.spec.securityContext?.appArmorProfile);
        const profiles = containersOf(pod).map(({ name, securityContext }) => ({
          name,
          type: typeOf(securityContext?.appArmorProfile),
        }));
        const isBad = (type: string | undefined): type is string => type !== undefined && !ALLOWED.has(type);
        const bad = profiles.filter(({ type }) => isBad(type));
        const annotations = forbiddenAnnotations(pod);
        const values = [...distinct([own, ...bad.map(({ type }) => type)].filter(isBad)), ...annotations];
        if (values.length === 0) return undefined;
        const setting = [
          setters(
            isBad(own),
            bad.map(({ name }) => name),
          ),
          annotations.length === 0 ? "" : plural("annotation", "annotations", annotations.length),
        ].filter((setter) => setter !== "");
        return {
          reason: plural("forbidden AppArmor profile", "forbidden AppArmor profiles", values.length),
          detail: `${setting.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
        };
      },
    },
  ],
};
