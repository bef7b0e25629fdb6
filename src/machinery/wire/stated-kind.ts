import { errorMessage } from "../../base/text/error-message.js";
import { formatGroupVersion, type GroupVersionKind, parseGroupVersion } from "../meta/gvk.js";
import { isJsonObject, type JsonValue } from "../meta/json.js";
import { goValueOf } from "./go-types.js";
import { ownValue } from "./json/own-keys.js";
import { UnmarshalError } from "./strict-decode.js";

/**
 * Returns the kind that a document states; missing parts are "". Throws an {@link UnmarshalError} in apimachinery's words for a
 * document that is not an object, or whose kind is not text.
 */
export function statedKind(value: JsonValue): GroupVersionKind {
  if (value !== null && !isJsonObject(value)) {
    throw unread(
      `json: cannot unmarshal ${goValueOf(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
  const text = (key: string): string => {
    const held = value === null ? undefined : ownValue(value, key);
    if (held === undefined || held === null) return "";
    if (typeof held === "string") return held;
    throw unread(`json: cannot unmarshal ${goValueOf(held)} into Go struct field .${key} of type string`);
  };
  const [apiVersion, kind] = [text("apiVersion"), text("kind")];
  return { ...groupVersionOf(apiVersion), kind };
}

const unread = (message: string): UnmarshalError =>
  new UnmarshalError(`couldn't get version/kind; json parse error: ${message}`);

function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  if (apiVersion === "") return { group: "", version: "" };
  try {
    return parseGroupVersion(apiVersion);
  } catch (error) {
    throw new UnmarshalError(errorMessage(error));
  }
}

/** kube-apiserver's error for an unknown kind. */
export const notRegisteredText = (kind: GroupVersionKind): string =>
  `no kind "${kind.kind}" is registered for version "${formatGroupVersion(kind)}" in scheme "pkg/api/legacyscheme/scheme.go:30"`;
