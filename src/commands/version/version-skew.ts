const SUPPORTED_SKEW = 1;

/**
 * kubectl's warning when client and server are further apart than is supported, or undefined.
 * @throws when a version is not semantic
 */
export function versionSkewWarning(client: string, server: string): string | undefined {
  const [clientMajor, clientMinor] = parse("client", client);
  const [serverMajor, serverMinor] = parse("server", server);
  if (clientMajor === serverMajor && Math.abs(clientMinor - serverMinor) <= SUPPORTED_SKEW) return undefined;
  return `version difference between client (${clientMajor}.${clientMinor}) and server (${serverMajor}.${serverMinor}) exceeds the supported minor version skew of +/-${SUPPORTED_SKEW}`;
}

function parse(side: string, version: string): readonly [major: number, minor: number] {
  const match = /^\s*v?(\d+)\.(\d+)\.\d+([-+].*)?\s*$/.exec(version);
  if (match === null) throw new Error(`${side} version error: could not parse "${version}" as version`);
  return [Number(match[1]), Number(match[2])];
}
