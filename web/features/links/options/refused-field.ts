import {
  linkRefusals,
  linkSentences,
  linkTextColumns,
  linkTextSentence,
} from '#domain/links/link-limits.ts'
import { notices } from '#domain/texts/texts.ts'
import type { FormRefusal } from '#web/forms/use-form.ts'
import type { TableError } from '#web/api/refusal-notice.ts'
import type { OptionsDraft } from './options-draft.ts'

type LinkField = keyof OptionsDraft | 'url' | 'code' | 'popup'

/** Fields of the form by the sentences of the server about them. */
const fieldsBySentence = new Map<string | undefined, LinkField>([
  [linkRefusals.blockedHost, 'url'],
  [linkRefusals.ownHost, 'url'],
  [notices.popupMissing.description, 'popup'],
  [linkRefusals.popupGone, 'popup'],
  [notices.customCodeCharacters.description, 'code'],
  [notices.customCodeLength.description, 'code'],
  [linkRefusals.blockedFallback, 'fallbackUrl'],
  [linkRefusals.fallback, 'fallbackUrl'],
  [linkRefusals.previewImage, 'previewImage'],
  [linkRefusals.tagsOfLink, 'tagText'],
  [linkRefusals.tagsOfAccount, 'tagText'],
  [linkSentences.tags_name_check, 'tagText'],
  [linkSentences.shortened_urls_dates, 'endsAt'],
  [linkSentences.shortened_urls_starts_at_check, 'startsAt'],
  [linkSentences.shortened_urls_ends_at_check, 'endsAt'],
  [linkSentences.shortened_urls_max_clicks_check, 'maxClicks'],
  [linkSentences.shortened_urls_forward_query_check, 'forwardNames'],
  ...linkTextColumns.map((column) => [linkTextSentence(column), column] as const),
])

/** A refusal of the server at the field that it is about; undefined for one about the whole link. */
export function refusedField({
  code,
  message,
  details,
  hint,
}: TableError): FormRefusal | undefined {
  if (!['23503', '23514'].includes(code) && hint !== 'too_many_rows') return undefined
  const text = details ?? message
  // A refused address has one of several reasons.
  const isAddress = message === notices.invalidUrl.title
  const field = fieldsBySentence.get(text) ?? (isAddress ? 'url' : undefined)
  return field && { field, text }
}
