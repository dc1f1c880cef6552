import type { RuleFacts } from '#domain/visits/reading/visit-reading.ts'

/** Nothing is known about this visitor. */
export const unknownFacts: RuleFacts = {
  country: undefined,
  region: undefined,
  city: undefined,
  languages: undefined,
  system: undefined,
  device: undefined,
  browser: undefined,
  inApp: undefined,
  address: undefined,
  firstVisit: undefined,
  source: undefined,
  query: undefined,
  shareOf: () => undefined,
}
