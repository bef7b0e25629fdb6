import type { AppArmorProfile, Pod } from "../../../../api/types/core/v1.js";
import { eachContainer } from "../../../../api/validation/pod/each-container.js";
import { APP_ARMOR } from "../../../../api/validation/pod/pod-annotations.js";
import { validateAppArmorProfile } from "../../../../api/validation/pod/security-context.js";
import { sameValue } from "../../../../api/validation/rules.js";
import type { FieldError } from "../../../../machinery/errors/field-error.js";
import { absent, ensureChild, object, type ReceivedObject, text } from "../../../../machinery/meta/received.js";

/**
 * Writes what a new pod's annotations say of AppArmor, from before there was a field for it, into the containers' security
 * contexts; a field that is set goes before its annotation. `warn` hears of annotations that the fields did not repeat.
 * The annotations stay, and nothing is written into them.
 */
export function syncAppArmor(pod: ReceivedObject<Pod>, warn: (message: string) => void): void {
  const annotations = object(pod.metadata?.annotations);
  const spec = ensureChild(pod, "spec");
  if (!Object.keys(annotations).some((key) => key.startsWith(APP_ARMOR)) || object(spec.os).name === "windows") return;
  const ofPod = object(spec.securityContext).appArmorProfile;
  for (const [container] of eachContainer(spec, "spec")) {
    const key = `${APP_ARMOR}${text(container.name)}`;
    const annotation = annotations[key];
    if (absent(annotation) || !absent(object(container.securityContext).appArmorProfile)) continue;
    const profile = profileOf(text(annotation));
    const needed = profile !== undefined && !sameValue(profile, ofPod);
    if (needed) ensureChild(container, "securityContext").appArmorProfile = profile;
    if (needed || profile === undefined) {
      warn(`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
    }
  }
}

const LOCALHOST = "localhost/";

/** The field for an annotation; undefined where it says nothing that a field may say. */
function profileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  if (!annotation.startsWith(LOCALHOST) || annotation === LOCALHOST) return undefined;
  const profile: AppArmorProfile = { type: "Localhost", localhostProfile: annotation.slice(LOCALHOST.length) };
  const errors: FieldError[] = [];
  validateAppArmorProfile(profile, "", errors);
  return errors.length === 0 ? profile : undefined;
}
