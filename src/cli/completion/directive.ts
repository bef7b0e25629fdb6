/** cobra's shell completion directives, a bit set: values of the wire between a shell's script and the program. */
export const DEFAULT = 0;
export const ERROR = 1;
export const NO_SPACE = 2;
export const NO_FILE_COMP = 4;
export const FILTER_FILE_EXT = 8;
const FILTER_DIRS = 16;
const KEEP_ORDER = 32;

const NAMES: readonly (readonly [bit: number, name: string])[] = [
  [ERROR, "ShellCompDirectiveError"],
  [NO_SPACE, "ShellCompDirectiveNoSpace"],
  [NO_FILE_COMP, "ShellCompDirectiveNoFileComp"],
  [FILTER_FILE_EXT, "ShellCompDirectiveFilterFileExt"],
  [FILTER_DIRS, "ShellCompDirectiveFilterDirs"],
  [KEEP_ORDER, "ShellCompDirectiveKeepOrder"],
];

export function directiveNames(directive: number): string {
  const names = NAMES.filter(([bit]) => (directive & bit) !== 0).map(([, name]) => name);
  return names.length === 0 ? "ShellCompDirectiveDefault" : names.join(", ");
}
