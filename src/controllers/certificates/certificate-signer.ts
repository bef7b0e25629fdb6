import type { Clock } from "../../base/clock.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { list, number, object, objects, text } from "../../machinery/meta/access.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Api } from "../api.js";

/** Times are milliseconds since the epoch. */
export type SignClient = (
  request: string,
  validity: { readonly notBefore: number; readonly notAfter: number },
) => Promise<string>;

const SIGNER = "kubernetes.io/kube-apiserver-client";
const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

/** The requests this signer answers. */
export const SIGNED_REQUESTS = `${REQUESTS}?fieldSelector=spec.signerName%3D${encodeURIComponent(SIGNER)}`;

const SHORTEST_MS = 600_000;
const LONGEST_MS = 365 * 24 * 3_600_000;
/** Clocks may differ by as much. */
const BACKDATE_MS = 300_000;

/** Answers approved requests for certificates of the API's clients by the cluster's CA. */
export class CertificateSigner {
  constructor(
    private readonly api: Api,
    private readonly sign: SignClient,
    private readonly clock: Clock,
  ) {}

  async changed(request: KubeObject): Promise<void> {
    const status = object(request["status"]);
    const types = objects(status["conditions"]).map(({ type }) => type);
    const decided = types.includes("Approved") && !types.includes("Denied") && !types.includes("Failed");
    if (!decided || text(status["certificate"]) !== "") return;
    const path = `${REQUESTS}/${encodeURIComponent(request.metadata?.name ?? "")}/status`;
    try {
      await this.api.update(path, {
        ...request,
        status: { ...status, ...(await this.#answer(request)) } as JsonObject,
      });
    } catch (error) {
      // The change that was in the way brings the request here again.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  async #answer(request: KubeObject): Promise<JsonObject> {
    const spec = object(request["spec"]);
    const problem = usageProblem(list(spec["usages"]).map(text));
    if (problem !== undefined) return failed(request, "SignerValidationFailure", problem);
    const asked = spec["expirationSeconds"] === undefined ? LONGEST_MS : number(spec["expirationSeconds"]) * 1000;
    const now = this.clock.now();
    const validity = {
      notBefore: now - BACKDATE_MS,
      notAfter: now + Math.min(Math.max(asked, SHORTEST_MS), LONGEST_MS),
    };
    try {
      const pem = Buffer.from(text(spec["request"]), "base64").toString("utf8");
      return { certificate: Buffer.from(await this.sign(pem, validity)).toString("base64") };
    } catch (error) {
      return failed(request, "SigningError", error instanceof Error ? error.message : String(error));
    }
  }
}

function usageProblem(usages: readonly string[]): string | undefined {
  const known = ["digital signature", "key encipherment", "client auth"];
  const wrong = usages.find((usage) => !known.includes(usage));
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth";
}

function failed(request: KubeObject, reason: string, message: string): JsonObject {
  const conditions = objects(object(request["status"])["conditions"]) as JsonObject[];
  return { conditions: [...conditions, { type: "Failed", status: "True", reason, message }] };
}
