export function terminalSvg(screen: string, options: { readonly columns: number; readonly title: string }): string;
