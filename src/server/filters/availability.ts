import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { serviceUnavailable, StatusError } from "../../machinery/errors/status-error.js";
import type { ApiRequest, Filter } from "../request/api-request.js";
import { respondBytes } from "../request/respond.js";

export type Availability = "starting" | "serving" | "stopping";

const PROBES = ["/readyz", "/livez", "/healthz"];

/** Whether a path is a probe, which is answered at all times. */
export const isProbe = (path: string): boolean => PROBES.some((probe) => path.startsWith(probe));

const RETRY_AFTER_SECONDS = 1;

/** Answers requests, except probes, with 503 and Retry-After before the server is ready and while it stops. */
export function availability(current: () => Availability): Filter {
  return (next) => async (request) => {
    const state = current();
    if (state === "serving" || isProbe(request.info.path)) return next(request);
    if (state === "starting") throw notYet();
    await respondStopping(request);
  };
}

function notYet(): StatusError {
  const { status } = serviceUnavailable(
    "the request has been made before all known HTTP paths have been installed, please try again",
  );
  return new StatusError({ ...status, details: { retryAfterSeconds: RETRY_AFTER_SECONDS } });
}

/** The client's connection ends, so that it finds a server that stays. */
async function respondStopping(request: ApiRequest): Promise<void> {
  const { status } = serviceUnavailable("apiserver is shutting down");
  await respondBytes(
    request,
    status.code,
    {
      "content-type": "application/json",
      "retry-after": String(RETRY_AFTER_SECONDS),
      connection: "close",
    },
    Buffer.from(`${encodeJson(status)}\n\n`),
  );
}
