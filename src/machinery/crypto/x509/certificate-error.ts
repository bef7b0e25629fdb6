/** The reason why a certificate is rejected, in the words of Go's x509. */
export class CertificateError extends Error {
  override readonly name = "CertificateError";

  /** `reason` is without "x509: ". */
  constructor(reason: string) {
    super(`x509: ${reason}`);
  }
}
