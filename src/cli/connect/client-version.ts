/**
 * The Kubernetes release whose client this program stands in for. Scripts compare these values, and servers log them,
 * so they are those of that release, not of kubets itself.
 */
export const kubernetesRelease = {
  major: "1",
  minor: "37",
  gitVersion: "v1.37.1",
  gitCommit: "f78e722310e50bcaca9276be22276d9e91d91308",
  gitTreeState: "clean",
  buildDate: "2026-09-23T17:10:04Z",
  goVersion: "go1.26.8",
  compiler: "gc",
} as const;

export const kustomizeVersion = "v5.8.1";

/** Returns the platform in Go's names: "linux/amd64". */
export function goPlatform(platform: NodeJS.Platform, arch: string): string {
  const os = platform === "win32" ? "windows" : platform;
  const architectures: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };
  return `${os}/${architectures[arch] ?? arch}`;
}

/** Returns the User-Agent of requests: "kubectl/v1.37.1 (linux/amd64) kubernetes/f78e722". */
export function userAgent(program: string, platform: NodeJS.Platform, arch: string): string {
  const { gitVersion, gitCommit } = kubernetesRelease;
  return `${program}/${gitVersion} (${goPlatform(platform, arch)}) kubernetes/${gitCommit.slice(0, 7)}`;
}
