import {
  badRequest,
  genericServerResponse,
  misfit,
  requestEntityTooLarge,
  type StatusError,
} from "../errors/status-error.js";

/**
 * The cause of a failed patch: a malformed patch (400), one that does not fit this object (422), one above a limit (413), or a
 * case for which Kubernetes has no class (400 without a reason).
 */
export type PatchFailure = "malformed" | "doesNotApply" | "tooLarge" | "misfit";

/** A patch that cannot be applied or computed. The message is Kubernetes' own. */
export class PatchError extends Error {
  override readonly name = "PatchError";

  constructor(
    message: string,
    readonly failure: PatchFailure = "misfit",
    /** Of a field the type does not have: the type's OpenAPI definition, where it is known. */
    readonly definition?: string,
  ) {
    super(message);
  }
}

export function isPatchError(error: unknown): error is PatchError {
  return error instanceof Error && error.name === "PatchError" && "failure" in error;
}

/** Thrown when `modified` changes something that another writer has changed since `original`, and overwriting is not allowed. */
export class PatchConflictError extends Error {
  override readonly name = "PatchConflictError";
}

export function isPatchConflictError(error: unknown): error is PatchConflictError {
  return error instanceof Error && error.name === "PatchConflictError";
}

/**
 * The answer a server gives for a failed patch. A patch that does not fit is told to the client in general words only,
 * as kube-apiserver does it; what that answers 500 to is a 400 in the patch's own words.
 */
export function patchErrorStatus(error: PatchError): StatusError {
  switch (error.failure) {
    case "malformed":
      return badRequest(error.message);
    case "tooLarge":
      return requestEntityTooLarge(error.message);
    case "doesNotApply":
      return genericServerResponse({
        code: 422,
        verb: "",
        resource: { group: "", resource: "" },
        name: "",
        serverMessage: error.message,
      });
    case "misfit":
      return misfit(error.message);
  }
}
