const MASK = "<masked>";

/** What is left of a token in a header is never shorter, and words behind "bearer" in a sentence hardly ever are as long. */
const CREDENTIALS = /\b(bearer|basic|negotiate)( +|%20|\+)[\w.~+/=-]{16,}/gi;
const JWT = /(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g;
/** The tokens of service accounts and users in the subprotocols of a WebSocket. */
const SUBPROTOCOL = /\bbase64url\.bearer\.authorization\.k8s\.io\.[\w-]+/g;
/** The password of a URL: "scheme://user:password@host". */
const PASSWORD = /(\/\/[^\s/:@"]*:)[^\s/@"]+@/g;
const PARAMETER = /([?&])([\w.%-]+)=([^&\s"'#]*)/g;

/** Parts of the names of parameters that carry credentials. */
const TELLING = ["token", "passw", "secret", "credential", "authorization", "signature", "apikey", "accesskey"];
const SHORT: ReadonlySet<string> = new Set(["key", "sig", "pwd", "auth"]);

/** Masks credentials in a text: tokens in headers, JSON web tokens, passwords in URLs, and URL parameters whose names suggest a secret. */
export function maskSecrets(text: string): string {
  return text
    .replace(CREDENTIALS, `$1$2${MASK}`)
    .replace(SUBPROTOCOL, `base64url.bearer.authorization.k8s.io.${MASK}`)
    .replace(JWT, MASK)
    .replace(PASSWORD, `$1${MASK}@`)
    .replace(PARAMETER, (all: string, before: string, name: string) =>
      isTelling(name) ? `${before}${name}=${MASK}` : all,
    );
}

function isTelling(name: string): boolean {
  const plain = decoded(name).toLowerCase().replaceAll(/[-_.]/g, "");
  return TELLING.some((part) => plain.includes(part)) || SHORT.has(plain);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
