import type { ApiRequest } from "../../request/api-request.js";
import type { ResponseFormat } from "../negotiation/response-format.js";

/** How Go's serializers name themselves: those of whole answers, and those of watches, which are never indented. */
function serializerName(
  { mediaType, pretty }: Pick<ResponseFormat, "mediaType" | "pretty">,
  isStream: boolean,
): string {
  if (mediaType === "application/vnd.kubernetes.protobuf") return isStream ? "raw-protobuf" : "protobuf";
  const yaml = mediaType === "application/yaml";
  return JSON.stringify({
    name: "json",
    pretty: String(pretty && !yaml && !isStream),
    strict: "false",
    yaml: String(yaml),
  });
}

/**
 * Names in traces what encodes an answer, as kube-apiserver's codecs name themselves. `groupVersion` is the one that the answer is written in;
 * default: that of the request, and of a table that of tables. The events of a watch are the request's, whatever objects they have.
 */
export function encoderName(
  format: ResponseFormat,
  { info }: ApiRequest,
  { groupVersion, isStream = false }: { readonly groupVersion?: string | undefined; readonly isStream?: boolean } = {},
): string {
  const own = info.apiGroup === "" ? info.apiVersion : `${info.apiGroup}/${info.apiVersion}`;
  const isOwn = isStream || format.shape === "object";
  const encodeGV = isOwn ? (groupVersion ?? own) : `meta.k8s.io/${format.metaVersion}`;
  return JSON.stringify({
    ...(encodeGV !== "" && { encodeGV }),
    encoder: serializerName(format, isStream),
    name: "versioning",
  });
}
