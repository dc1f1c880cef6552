import type { MovePreview } from '#web/api/database.ts'

/** Sentences about everything that a move leaves behind or makes. */
export function lossesOf(preview: MovePreview): string[] {
  const { popups, shared_reports: reports, bio_entries: entries } = preview
  const { external_ids: ids, new_tags: tags, older_clicks: older } = preview
  return [
    sentence(popups, 'The popup stays here:', 'Popups stay here:'),
    sentence(reports, 'The shared report ends:', 'Shared reports end:'),
    sentence(
      entries,
      'An entry of your bio page stays, as a plain address:',
      'Entries of your bio page stay, as plain addresses:',
    ),
    sentence(
      ids,
      'An external id is taken there and cleared:',
      'External ids are taken there and cleared:',
    ),
    sentence(tags, 'A tag is made there:', 'Tags are made there:'),
    older === null || older.links === 0
      ? ''
      : `Clicks before ${older.before} go: that account keeps ${older.kept_days} days.`,
  ].filter((text) => text !== '')
}

function sentence({ count, names }: { count: number; names: string[] }, one: string, many: string) {
  if (count === 0) return ''
  const more = count > names.length ? ` and ${count - names.length} more` : ''
  return `${count === 1 ? one : many} ${names.join(', ')}${more}`
}
