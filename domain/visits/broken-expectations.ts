/** An expectation that a change would break. */
interface BrokenExpectation {
  /** The short code of its link. */
  readonly code: string
  readonly name: string
}

/** Nobody reads more. */
const maxLines = 20

/** Broken expectations as the `details` of a refusal has them, one in a line: `menu: The poster`. */
export function brokenExpectationDetails(broken: readonly BrokenExpectation[]): string {
  return broken
    .slice(0, maxLines)
    .map(({ code, name }) => `${code}: ${name.replaceAll(/\s+/g, ' ')}`)
    .join('\n')
}

/** The names of expectations in the `details` of a refusal. */
export function brokenExpectationNames(details: string): string[] {
  return details.split('\n').map((line) => line.replace(/^[a-z\d_-]{1,64}: /, ''))
}
