import type { ServedApi } from "../../../api/facts/index.js";
import { encodeJson } from "../../../machinery/wire/json/json-encoder.js";
import type { Handler } from "../../request/api-request.js";
import { respondBytes } from "../../request/respond.js";

/** GET /: the sorted list of paths; `others` are those outside of the API. With status 404 it is the answer for an unknown path. */
export const rootPaths =
  (api: ServedApi, others: () => readonly string[] = () => [], status = 200): Handler =>
  async (request) => {
    const core = api.groups.find(({ name }) => name === "")?.versions ?? [];
    const groups = api.groups.filter(({ name }) => name !== "");
    const paths = [
      "/api",
      ...core.map((version) => `/api/${version}`),
      "/apis",
      ...groups.flatMap(({ name, versions }) => [`/apis/${name}`, ...versions.map((one) => `/apis/${name}/${one}`)]),
      "/healthz",
      "/livez",
      "/openapi/v2",
      "/openapi/v3",
      "/readyz",
      "/version",
      ...others(),
    ];
    const body = Buffer.from(encodeJson({ paths: paths.toSorted() }, { indent: 2 }), "utf8");
    await respondBytes(request, status, { "content-type": "application/json" }, body);
  };
