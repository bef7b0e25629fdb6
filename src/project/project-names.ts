/** What a project is about, and the names that follow from it. */
export interface ProjectNames {
  /** Of the package, the image and the objects: "library-operator". */
  readonly name: string;
  /** "example.com" */
  readonly group: string;
  /** "v1" */
  readonly version: string;
  /** "Shelf" */
  readonly kind: string;
  /** "shelves" */
  readonly plural: string;
  readonly namespaced: boolean;
}

export interface GivenNames {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** "": an English guess. */
  readonly plural: string;
  readonly namespaced: boolean;
}

const LABEL = /^[a-z]([-a-z0-9]{0,51}[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;

/** Completes the names. Throws an Error for one that Kubernetes, npm or TypeScript would refuse, which names the flag and shows a right one. */
export function projectNames(given: GivenNames): ProjectNames {
  const { name, group, version, kind, namespaced } = given;
  const plural = given.plural === "" ? pluralOf(kind) : given.plural;
  const wrong = (what: string, value: string, right: string): Error =>
    new Error(`${what} ${JSON.stringify(value)} is wrong: ${right}`);
  if (!LABEL.test(name)) {
    throw wrong("the name", name, "give lower-case letters, digits and -, at most 53, as in library-operator (--name)");
  }
  if (!SUBDOMAIN.test(group)) throw wrong("--group", group, "give a domain that is yours, as in library.example.com");
  if (group.endsWith(".k8s.io") || group.endsWith(".kubernetes.io")) {
    throw wrong("--group", group, "groups of k8s.io and kubernetes.io belong to Kubernetes");
  }
  if (!/^v[1-9]\d*((alpha|beta)[1-9]\d*)?$/.test(version))
    throw wrong("--api-version", version, "give v1, v1beta1 or the like");
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(kind)) throw wrong("--kind", kind, "give a name as Shelf or BookShelf");
  if (!LABEL.test(plural)) throw wrong("--plural", plural, "give lower-case letters, digits and -, as in shelves");
  return { name, group, version, kind, plural, namespaced };
}

/** English, as far as a rule goes: "shelves" needs --plural. */
function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}

/** The names of a kind's files and variables: "bookShelf" and "book-shelf" of BookShelf. */
export function spellings(kind: string): { readonly camel: string; readonly file: string } {
  const words = kind.match(/[A-Z]+(?![a-z])|[A-Z][a-z0-9]*/g) ?? [kind];
  const [first = "", ...rest] = words;
  return { camel: first.toLowerCase() + rest.join(""), file: words.map((word) => word.toLowerCase()).join("-") };
}
