/**
 * The Kubernetes release whose client this program stands in for. Scripts compare these values, and servers log them,
 * so they are those of that release, not of kubets itself.
 */
export const kubernetesRelease = {
  major: "1",
  minor: "36",
  gitVersion: "v1.36.3",
  gitCommit: "0f29094e5b73085e3802ecc1298ecae13866bfe6",
  gitTreeState: "clean",
  buildDate: "2026-07-22T18:10:35Z",
  goVersion: "go1.26.5",
  compiler: "gc",
} as const;

export const kustomizeVersion = "v5.8.1";

/** "linux/amd64", in Go's names. */
export function goPlatform(platform: NodeJS.Platform, arch: string): string {
  const os = platform === "win32" ? "windows" : platform;
  const architectures: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };
  return `${os}/${architectures[arch] ?? arch}`;
}

/** What requests carry as User-Agent: "kubectl/v1.36.3 (linux/amd64) kubernetes/0f29094". */
export function userAgent(program: string, platform: NodeJS.Platform, arch: string): string {
  const { gitVersion, gitCommit } = kubernetesRelease;
  return `${program}/${gitVersion} (${goPlatform(platform, arch)}) kubernetes/${gitCommit.slice(0, 7)}`;
}
