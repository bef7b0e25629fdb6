import { invalidValue, notSupported, required, tooLong } from "../../../machinery/errors/field-error.js";
import { absent, object, type Received, text } from "../../../machinery/meta/received.js";
import type { AppArmorProfile, SeccompProfile } from "../../types/core/v1.js";
import type { Errors } from "../collect.js";
import { goJson } from "../go-shapes.js";
import { checkDescendingPath } from "../volumes/file-paths.js";

const TYPES = ["Localhost", "RuntimeDefault", "Unconfined"];

export function validateSeccompProfile(
  profile: Received<SeccompProfile> | null | undefined,
  path: string,
  errors: Errors,
): void {
  if (absent(profile)) return;
  const { localhostProfile } = object(profile);
  const type: string | null | undefined = object(profile).type;
  if (absent(type) || type === "") {
    errors.push(required(`${path}.type`, "type is required when seccompProfile is set"));
  } else if (!TYPES.includes(text(type))) errors.push(notSupported(`${path}.type`, type, TYPES));
  const at = `${path}.localhostProfile`;
  if (type === "Localhost") {
    if (absent(localhostProfile)) errors.push(required(at, "must be set when seccomp type is Localhost"));
    else checkDescendingPath(text(localhostProfile), at, errors);
  } else if (!absent(localhostProfile)) {
    const shown = goJson("SeccompProfile", object(profile));
    errors.push(invalidValue(at, shown, "can only be set when seccomp type is Localhost"));
  }
}

const MAX_PROFILE_NAME = 4095;

export function validateAppArmorProfile(
  profile: Received<AppArmorProfile> | null | undefined,
  path: string,
  errors: Errors,
): void {
  if (absent(profile)) return;
  const { localhostProfile } = object(profile);
  const type: string | null | undefined = object(profile).type;
  const at = `${path}.localhostProfile`;
  if (type === "Localhost") validateLocalhostProfile(localhostProfile, at, errors);
  else if (absent(type) || type === "") {
    errors.push(required(`${path}.type`, "type is required when appArmorProfile is set"));
  } else if (!TYPES.includes(text(type))) errors.push(notSupported(`${path}.type`, type, TYPES));
  else if (!absent(localhostProfile)) {
    errors.push(invalidValue(at, localhostProfile, "can only be set when AppArmor type is Localhost"));
  }
}

function validateLocalhostProfile(value: string | null | undefined, path: string, errors: Errors): void {
  const name = text(value);
  const missing = "must be set when AppArmor type is Localhost";
  if (absent(value)) {
    errors.push(required(path, missing));
    return;
  }
  if (name.trim() !== name) errors.push(invalidValue(path, name, "must not be padded with whitespace"));
  else if (name === "") errors.push(required(path, missing));
  if (Buffer.byteLength(name) > MAX_PROFILE_NAME) errors.push(tooLong(path, MAX_PROFILE_NAME));
}
