import { describeForeignStreams } from "../foreign-streams.js";

const { goStreams } = (await import("../../helpers/build-foreign-clients.mjs" as string)) as {
  goStreams: () => { readonly program: string } | { readonly missing: string };
};
const found = goStreams();
if ("missing" in found) process.stdout.write(`client-go's streams are skipped: ${found.missing}\n`);

const CHECKS = ["a WebSocket", "SPDY"].flatMap((way) => [
  `20 MB go through a command unchanged over ${way}`,
  `a command's outputs and exit code arrive over ${way}`,
  `a terminal has its size over ${way}`,
  `a command that is not there is an error over ${way}`,
  `100 connections go through a forwarded port at once over ${way}`,
  `a port without a listener is an error over ${way}`,
]);

const command = "program" in found ? [found.program] : undefined;
describeForeignStreams("client-go's remotecommand and portforward", command, CHECKS);
