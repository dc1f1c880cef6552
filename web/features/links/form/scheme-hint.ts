import { lacksScheme } from '#domain/links/destinations.ts'

/** The hint of a field for an address that was typed without its scheme. */
export function schemeHint(typed: string): string | undefined {
  return lacksScheme(typed) ? 'https:// will be added.' : undefined
}
