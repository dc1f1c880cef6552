/** The single argument of a command; options are refused. @throws {Error} with the usage */
export function oneArgument(args: readonly string[], usage: string): string {
  const [argument, ...more] = args
  if (!argument || more.length > 0 || argument.startsWith('-')) throw new Error(usage)
  return argument
}
