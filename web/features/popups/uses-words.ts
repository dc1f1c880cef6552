import type { PopupUses } from '#web/api/database.ts'

/** From here on the server counts no further. */
const countedLinks = 1_000

/** Where a popup is used, as a phrase: "Used by 3 links and your bio page"; undefined where it is not. */
export function usesWords({ links, bio_page }: PopupUses): string | undefined {
  const count = `${links.toLocaleString('en-US')}${links >= countedLinks ? '+' : ''}`
  const places = [
    ...(links === 0 ? [] : [links === 1 ? '1 link' : `${count} links`]),
    ...(bio_page ? ['your bio page'] : []),
  ]
  return places.length === 0 ? undefined : `Used by ${places.join(' and ')}`
}
