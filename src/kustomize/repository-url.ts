/** Whether kustomize would take a path for a git repository: a URL of two parts at least, or git's own short forms. */
export function isRepositoryUrl(path: string): boolean {
  if (path.startsWith("/")) return false;
  const bare = (path.split("?")[0] ?? "").replace(/^git::/i, "");
  const scheme = /^(?:ssh|https?|file):\/\//i.exec(bare)?.[0] ?? "";
  const rest = bare.slice(scheme.length);
  const user = /^[a-zA-Z][a-zA-Z0-9-]*@/.exec(rest)?.[0] ?? "";
  const host = rest.slice(user.length);
  const shortForm = scheme === "" && (user !== "" || /^github\.com[/:]/i.test(host));
  if (scheme === "" && !shortForm) return false;
  if (scheme.toLowerCase() === "file://") return hasRepository(`${user}${host}`, 0);
  const slash = host.indexOf("/");
  const colon = shortForm ? host.indexOf(":") : -1;
  const end = colon > 0 && (slash === -1 || colon < slash) ? colon : slash;
  return end >= 0 && hasRepository(host.slice(end + 1), 2);
}

/** `segments`: how many a repository's path has, where nothing marks its end; 0 for all of them. */
function hasRepository(path: string, segments: number): boolean {
  const [repository, folder] = split(path, segments);
  return repository !== "" && !/^\/?(?:\.\/)*\.\.(?:\/|$)/.test(folder);
}

function split(path: string, segments: number): readonly [string, string] {
  const azure = path.indexOf("_git/");
  if (azure >= 0)
    return [
      path,
      path
        .slice(azure + 5)
        .split("/")
        .slice(1)
        .join("/"),
    ];
  const double = path.indexOf("//");
  if (double >= 0) return [path.slice(0, double), path.slice(double + 2)];
  const suffix = path.indexOf(".git");
  if (suffix >= 0) return [path.slice(0, suffix + 4), path.slice(suffix + 4)];
  const parts = path.split("/");
  if (segments === 0) return [path, ""];
  return parts.length < segments ? ["", ""] : [parts.slice(0, segments).join("/"), parts.slice(segments).join("/")];
}
