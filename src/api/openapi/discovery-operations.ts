import { dictionary } from "../../base/collections/dictionary.js";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import { mediaTypes, META, type OperationFacts, groupName, tagOf, versionName } from "./operation.js";

const read = (
  given: Pick<OperationFacts, "path" | "operationId" | "tag" | "description" | "answer">,
  types: readonly string[] = mediaTypes.objects,
): OperationFacts => ({ ...given, method: "get", parameters: [], consumes: types, produces: types, codes: ["200"] });

/** The server's own documents, by the name that the index of version 3 has for each. */
export const serverOperations: Readonly<Record<string, readonly OperationFacts[]>> = dictionary({
  ".well-known/openid-configuration": [
    {
      ...read(
        {
          path: "/.well-known/openid-configuration/",
          operationId: "getServiceAccountIssuerOpenIDConfiguration",
          tag: "WellKnown",
          description: "Reads the OpenID discovery document of the issuer of service account tokens.",
          answer: "",
        },
        mediaTypes.json,
      ),
      consumes: [],
    },
  ],
  api: [
    read({
      path: "/api/",
      operationId: "getCoreAPIVersions",
      tag: "core",
      description: "Reads which versions of the core group are served.",
      answer: `${META}.APIVersions`,
    }),
  ],
  apis: [
    read({
      path: "/apis/",
      operationId: "getAPIVersions",
      tag: "apis",
      description: "Reads which groups are served, and each group's versions.",
      answer: `${META}.APIGroupList`,
    }),
  ],
  "openid/v1/jwks": [
    {
      ...read(
        {
          path: "/openid/v1/jwks/",
          operationId: "getServiceAccountIssuerOpenIDKeyset",
          tag: "openid",
          description: "Reads the public keys that service account tokens are verified with.",
          answer: "",
        },
        ["application/jwk-set+json"],
      ),
      consumes: [],
    },
  ],
  version: [
    read(
      {
        path: "/version/",
        operationId: "getCodeVersion",
        tag: "version",
        description: "Reads the version of the server and how it was built.",
        answer: "io.k8s.apimachinery.pkg.version.Info",
      },
      mediaTypes.json,
    ),
  ],
});

/** The GET operation of a group: "/apis/apps/". */
export const groupOperation = (group: string): OperationFacts =>
  read({
    path: `/apis/${group}/`,
    operationId: `get${groupName(group)}APIGroup`,
    tag: tagOf(group),
    description: `Reads which versions of the group ${group} are served.`,
    answer: `${META}.APIGroup`,
  });

/** The GET operation of a group version: "/apis/apps/v1/". */
export function versionOperation(groupVersion: string): OperationFacts {
  const { group, version } = parseGroupVersion(groupVersion);
  return read({
    path: group === "" ? `/api/${version}/` : `/apis/${group}/${version}/`,
    operationId: `get${versionName({ group, version })}APIResources`,
    tag: tagOf(group, version),
    description: `Reads which resources of ${groupVersion} are served, and what each can do.`,
    answer: `${META}.APIResourceList`,
  });
}
