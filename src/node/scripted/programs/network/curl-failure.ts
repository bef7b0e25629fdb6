import { dictionary } from "../../../../base/collections/dictionary.js";
import { ConnectError, ForeignHostError, NameError } from "../../../network/pod-network.js";
import { FileError } from "../../files/file-error.js";
import { TlsError } from "./http-exchange.js";
import { TimeLimitError } from "./reach.js";

/** Ends curl with `code`, and prints the reason. */
export class CurlFailure extends Error {
  override readonly name = "CurlFailure";

  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** The state of a transfer when it ended. */
export interface TransferState {
  readonly host: string;
  readonly port: number;
  readonly isConnected: boolean;
  /** How long it has taken, in milliseconds. */
  readonly took: number;
  readonly received: number;
}

/** curl's exit codes; see its manual. */
const CODE = { resolve: 6, connect: 7, write: 23, timeout: 28, tls: 35, empty: 52, reset: 56, certificate: 60 };

/** Makes curl's error for what ended a transfer. Other errors are rethrown. */
export function curlFailure(error: unknown, state: TransferState): CurlFailure {
  const { host, port, isConnected, took, received } = state;
  if (error instanceof CurlFailure) return error;
  if (error instanceof NameError || error instanceof ForeignHostError)
    return new CurlFailure(CODE.resolve, `Could not resolve host: ${host}`);
  if (error instanceof TimeLimitError) {
    const text = isConnected
      ? `Operation timed out after ${took} milliseconds with ${received} bytes received`
      : `Connection timed out after ${took} milliseconds`;
    return new CurlFailure(CODE.timeout, text);
  }
  if (error instanceof ConnectError)
    return new CurlFailure(
      CODE.connect,
      `Failed to connect to ${host} port ${port} after ${took} ms: Could not connect to server`,
    );
  if (error instanceof TlsError) return tlsFailure(error, host);
  if (error instanceof FileError) return new CurlFailure(CODE.write, "Failure writing output to destination");
  if (!(error instanceof Error)) throw error;
  const { code, message } = error as Error & { readonly code?: string };
  if (code?.startsWith("HPE_") === true) return new CurlFailure(1, "Received HTTP/0.9 when not allowed");
  if (code === "ECONNRESET" || /reset by peer|aborted|socket hang up/.test(message))
    return received === 0 && message === "socket hang up"
      ? new CurlFailure(CODE.empty, "Empty reply from server")
      : new CurlFailure(CODE.reset, "Recv failure: Connection reset by peer");
  throw error;
}

const CERTIFICATE_FAULTS: Readonly<Record<string, string>> = dictionary({
  CERT_HAS_EXPIRED: "certificate has expired",
  CERT_NOT_YET_VALID: "certificate is not yet valid",
  DEPTH_ZERO_SELF_SIGNED_CERT: "self-signed certificate",
  SELF_SIGNED_CERT_IN_CHAIN: "self-signed certificate in certificate chain",
  UNABLE_TO_GET_ISSUER_CERT: "unable to get issuer certificate",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "unable to get local issuer certificate",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "unable to get local issuer certificate",
});

function tlsFailure({ code, message }: TlsError, host: string): CurlFailure {
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return new CurlFailure(
      CODE.certificate,
      `SSL: no alternative certificate subject name matches target host name '${host}'`,
    );
  const fault = CERTIFICATE_FAULTS[code];
  if (fault === undefined) return new CurlFailure(CODE.tls, `TLS connect error: ${message}`);
  const more = `More details here: https://curl.se/docs/sslcerts.html

curl failed to verify the legitimacy of the server and therefore could not
establish a secure connection to it. To learn more about this situation and
how to fix it, please visit the webpage mentioned above.`;
  return new CurlFailure(CODE.certificate, `SSL certificate problem: ${fault}\n${more}`);
}
