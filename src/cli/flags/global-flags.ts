import type { FlagSpec } from "../../component/flags/flag-set.js";

/** Makes the global flags. `cacheDir` is shown as the default of --cache-dir. */
export function globalFlags(cacheDir: string): readonly FlagSpec[] {
  return [
    { name: "as", type: "string", usage: "User to act as: a name, or a service account with its namespace" },
    { name: "as-group", type: "stringArray", usage: "Group to act as; give it again for each further group" },
    { name: "as-uid", type: "string", usage: "UID to act as" },
    { name: "as-user-extra", type: "stringArray", usage: "Extra of the user to act as, key=value; repeat it for more" },
    { name: "cache-dir", type: "string", default: cacheDir, usage: "Folder in which answers of servers are cached" },
    { name: "certificate-authority", type: "string", usage: "File with the certificate authority to trust" },
    { name: "client-certificate", type: "string", usage: "File with the client certificate for TLS" },
    { name: "client-key", type: "string", usage: "File with the client key for TLS" },
    { name: "cluster", type: "string", usage: "Cluster of the kubeconfig to use" },
    {
      name: "color",
      type: "string",
      default: "auto",
      usage: "Colours: auto (on terminals, unless NO_COLOR is set), always or never",
    },
    { name: "context", type: "string", usage: "Context of the kubeconfig to use" },
    { name: "disable-compression", type: "bool", usage: "Ask the server for answers that are not compressed" },
    {
      name: "fit",
      type: "bool",
      default: "true",
      usage: "Cut tables to the width of a terminal. Names are never cut, and tables in files and pipes neither",
    },
    {
      name: "insecure-skip-tls-verify",
      type: "bool",
      usage:
        "Do not check the server's certificate. Anyone between you and the server can then read and change what is sent",
    },
    { name: "kubeconfig", type: "string", usage: "The one kubeconfig file to use" },
    {
      name: "kuberc",
      type: "string",
      usage: "File with preferences. KUBERC=off does without them for once, KUBECTL_KUBERC=false without the feature",
    },
    { name: "log-flush-frequency", type: "goDuration", default: "5s", usage: "Longest time between two log flushes" },
    { name: "match-server-version", type: "bool", usage: "Stop unless the server has this client's version" },
    { name: "namespace", short: "n", type: "string", usage: "Namespace in which the command works" },
    { name: "password", type: "string", usage: "Password for basic authentication" },
    {
      name: "profile",
      type: "string",
      default: "none",
      usage: "Profile to capture. One of (none|cpu|heap|goroutine|threadcreate|block|mutex|trace)",
    },
    { name: "profile-output", type: "string", default: "profile.pprof", usage: "File that receives the profile" },
    {
      name: "proxy-url",
      type: "string",
      usage: "Proxy through which the server is reached, in place of the kubeconfig's",
    },
    {
      name: "request-timeout",
      type: "string",
      default: "0",
      usage: "How long one request may take, with a unit (1s, 2m, 3h). Zero sets no limit",
    },
    {
      name: "retry",
      type: "int",
      default: "0",
      usage:
        "How many times in a row a read tries again when the server cannot be reached, after half a second at first, then twice as long each time",
    },
    { name: "server", short: "s", type: "string", usage: "Address and port of the API server" },
    {
      name: "tls-server-name",
      type: "string",
      usage: "Name the server's certificate must carry instead of its address",
    },
    { name: "token", type: "string", usage: "Bearer token for authentication" },
    { name: "user", type: "string", usage: "User of the kubeconfig to act with" },
    { name: "username", type: "string", usage: "User name for basic authentication" },
    { name: "v", short: "v", type: "level", usage: "How much to log, as a number" },
    { name: "vmodule", type: "moduleSpec", usage: "Log levels of single files: pattern=N, separated by commas" },
    { name: "warnings-as-errors", type: "bool", usage: "Exit with an error when the server sent a warning" },
  ];
}

export const helpFlag: FlagSpec = { name: "help", short: "h", type: "bool", usage: "Show help for this command" };
