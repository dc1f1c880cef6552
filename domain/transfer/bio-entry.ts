import { isVisible } from '#domain/forms/visible-text.ts'
import { bioLimits, linkAddress } from '#domain/bio/bio-form.ts'
import type { Imported } from './imported.ts'
import { refused } from './import-draft.ts'
import { cutText, lineOf } from './record-fields.ts'

interface BioEntryDraft {
  entry: 'link' | 'header'
  title: unknown
  url?: string | undefined
  losses?: readonly string[]
}

/** An entry of a bio page within our bounds; one without an address that a page can have is refused. */
export function bioEntry({ entry, title, url, losses = [] }: BioEntryDraft): Imported {
  const line = lineOf(title) ?? ''
  const { text: cut, isCut } = cutText(line, bioLimits.linkTitle)
  const all = isCut ? [...losses, 'end of the title'] : losses
  if (entry === 'header') {
    if (!isVisible(cut)) return refused('This heading has no words', url)
    return { kind: 'bio', entry, title: cut, url: '', losses: all }
  }
  const address = linkAddress(url ?? '')
  if (address === null) return refused(refusalOf(url), isVisible(cut) ? cut : url)
  const host = new URL(address).host.replace(/^www\./, '')
  return { kind: 'bio', entry, title: isVisible(cut) ? cut : host, url: address, losses: all }
}

function refusalOf(url: string | undefined): string {
  if (url === undefined) return 'This entry has no address'
  if (/^mailto:/i.test(url)) return 'An email address goes to the social links of a bio page'
  if (/^(?:tel|sms):/i.test(url)) return 'A bio page has no links to telephone numbers'
  return 'The address must start with http:// or https://'
}
