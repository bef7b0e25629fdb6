import { dictionary } from "../../base/collections/dictionary.js";

/** The default pull policy: "Always" for the tag `latest`, which is also the tag of an image without tag and digest. */
export function pullPolicy(image: string): "Always" | "IfNotPresent" {
  return imageTag(image) === "latest" ? "Always" : "IfNotPresent";
}

// The grammar of image references (distribution/reference), after Docker's own registry was put in front of short names.
const HOST_PART = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const HOST = `(?:${HOST_PART}(?:\\.${HOST_PART})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`;
const PATH_PART = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const TAG = "\\w[\\w.-]{0,127}";
const DIGEST = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
const reference = new RegExp(`^((?:${HOST}/)?${PATH_PART}(?:/${PATH_PART})*)(?::(${TAG}))?(?:@(${DIGEST}))?$`);

const MAX_NAME = 255;
const identifier = /^[a-f0-9]{64}$/;
const DIGEST_LENGTHS: Readonly<Record<string, number>> = dictionary({
  sha256: 64,
  sha384: 96,
  sha512: 128,
});

/** The image's tag, "" for one that has only a digest and for what is no reference. */
function imageTag(image: string): string {
  if (identifier.test(image)) return "";
  const [, name = "", tag, digest] = reference.exec(withRegistry(image)) ?? [];
  if (name === "" || name.length > MAX_NAME || (digest !== undefined && !isDigest(digest))) return "";
  return tag ?? (digest === undefined ? "latest" : "");
}

function withRegistry(image: string): string {
  const slash = image.indexOf("/");
  const first = image.slice(0, Math.max(slash, 0));
  const isHost = /[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase();
  if (slash >= 0 && isHost) return image;
  return slash >= 0 ? `docker.io/${image}` : `docker.io/library/${image}`;
}

function isDigest(digest: string): boolean {
  const [algorithm = "", hex = ""] = digest.split(":");
  return DIGEST_LENGTHS[algorithm] === hex.length && hex === hex.toLowerCase();
}
