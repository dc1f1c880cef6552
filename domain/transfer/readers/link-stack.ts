import { bioEntry } from '#domain/transfer/bio-entry.ts'
import type { RecordReader, SourceRecord } from '#domain/transfer/imported.ts'
import { refused } from '#domain/transfer/import-draft.ts'
import { RecordFields } from '#domain/transfer/record-fields.ts'
import { listIn } from './list-in.ts'

/** `button_id` of entries without a `type`, as older versions write them. */
const typeOfButton: Readonly<Record<string, string>> = { 42: 'heading', 43: 'spacer', 93: 'text' }

/** Entries without a counterpart, by their type. */
const refusals: Readonly<Record<string, string>> = {
  text: 'A bio page has links and headings, and no blocks of text',
  spacer: 'A bio page needs no spacers',
  vcard: 'A bio page has no contact cards',
}

/** LinkStack: `links-*.json` and `user_data-*.json`. Their own styles and icons are never read. */
export const linkStackReader: RecordReader = {
  name: 'LinkStack',
  recordsOf(json) {
    const list =
      listIn(json, ['links'], ['link', 'title', 'button_id']) ??
      listIn(json, ['links'], ['link', 'title', 'up_link'])
    return list?.toSorted((a, b) => rankOf(a) - rankOf(b))
  },
  convert(record: SourceRecord) {
    const fields = new RecordFields(record)
    const title = fields.text('title')
    const type = fields.text('type')?.toLowerCase() ?? typeOfButton[fields.text('button_id') ?? '']
    const refusal = type !== undefined && Object.hasOwn(refusals, type) ? refusals[type] : undefined
    if (refusal !== undefined) return refused(refusal, title?.replaceAll(/<[^<>]*>/g, ' ').trim())
    if (type === 'heading') return bioEntry({ entry: 'header', title })
    const losses = [
      ...(fields.value('custom_css') === undefined ? [] : ['own style']),
      ...(fields.value('custom_icon') === undefined ? [] : ['own icon']),
      ...((fields.count('click_number') ?? 0) > 0 ? ['clicks so far'] : []),
    ]
    return bioEntry({ entry: 'link', title, url: fields.address('link'), losses })
  },
}

/** Pinned entries come first, the others in their order. */
function rankOf(record: SourceRecord): number {
  const fields = new RecordFields(record)
  return (fields.count('order') ?? 0) - (fields.flag('up_link') ? 1e9 : 0)
}
