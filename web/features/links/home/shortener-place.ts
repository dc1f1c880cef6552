import type { DomainChoice } from '#web/domains/domain-choices.ts'

/** The host of the link that the form makes. */
export type ShortenerPlace = Pick<DomainChoice, 'domain' | 'sent'>

export const ownPlace: ShortenerPlace = { domain: null, sent: undefined }
