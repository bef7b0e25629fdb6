const COMPONENT = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const LABEL = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const HOST = `(?:${LABEL}(?:\\.${LABEL})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const REFERENCE = new RegExp(
  `^(?:${HOST}/)?${COMPONENT}(?:/${COMPONENT})*(?::\\w[\\w.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`,
);
const LONGEST_NAME = 255;

/** Why this is no reference to an image, in the words of Docker's reference library; undefined for one. */
export function imageNameProblem(image: string): string | undefined {
  if (/^[a-f0-9]{64}$/.test(image))
    return `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`;
  const { domain, rest } = split(image);
  const repository = rest.replace(/:.*$/s, "");
  if (repository.toLowerCase() !== repository)
    return `invalid reference format: repository name (${repository}) must be lowercase`;
  if (!REFERENCE.test(`${domain}/${rest}`)) return "invalid reference format";
  const name = `${domain}/${rest.replace(/[:@].*$/s, "")}`;
  return name.length > LONGEST_NAME ? `repository name must not be more than ${LONGEST_NAME} characters` : undefined;
}

/** A first part with a dot, a port or an upper case letter is a registry; without one it is Docker Hub's. */
function split(image: string): { readonly domain: string; readonly rest: string } {
  const slash = image.indexOf("/");
  const first = slash < 0 ? "" : image.slice(0, slash);
  const isRegistry = first !== "" && (/[.:]/.test(first) || first === "localhost" || first.toLowerCase() !== first);
  if (isRegistry) return { domain: first, rest: image.slice(slash + 1) };
  return { domain: "docker.io", rest: slash < 0 ? `library/${image}` : image };
}
