/** The only argument of a command, which is no option. @throws {Error} with the usage */
export function oneArgument(args: readonly string[], usage: string): string {
  const [argument, ...more] = args
  if (!argument || more.length > 0 || argument.startsWith('-')) throw new Error(usage)
  return argument
}
