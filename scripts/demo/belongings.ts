import { lookOf } from '#domain/bio/looks.ts'
import type { Target } from './visits.ts'
import type { DemoPerson } from './people.ts'
import type { FrontDoor, SignedUp } from './front-door.ts'

/** Creates the person's links, page and popup through the front door. Returns the targets of visits. */
export async function makeBelongings(
  door: FrontDoor,
  { id, token }: SignedUp,
  person: DemoPerson,
): Promise<Target[]> {
  const popup =
    person.popup && (await door.insert(token, 'popups', { ...person.popup, user_id: id }))
  if (person.code !== undefined) {
    await door.insert(token, 'affiliate_codes', { user_id: id, code: person.code })
  }
  const shown = popup && { id: popup.id, collectsEmail: person.popup?.collect_email === true }
  const targets: Target[] = []
  for (const { url, code, visits, slope, withPopup, ...options } of person.links ?? []) {
    const link = await door.insert(token, 'shortened_urls', {
      user_id: id,
      original_url: url,
      ...(code !== undefined && { short_code: code }),
      ...options,
    })
    if (withPopup && popup) {
      const switched = { show_popup: true, popup_id: popup.id }
      await door.update(token, 'shortened_urls', link.id, switched)
    }
    targets.push({
      kind: 'link',
      id: link.id,
      name: String(link['short_code']),
      visits,
      ...(slope !== undefined && { slope }),
      ...(withPopup && shown && { popup: shown }),
    })
  }
  if (person.bioPage) {
    const { links, visits, ...page } = person.bioPage
    const colors = lookOf(page.look ?? 'plain').colors
    const theme = colors && {
      theme_primary: colors.primary,
      theme_background: colors.background,
      theme_text: colors.text,
    }
    const saved = (await door.call(token, 'save_bio_page', {
      page: { ...page, ...theme, ...(popup && { popup_id: popup.id }) },
      links,
    })) as {
      page: { id: string }
      links: { id: string }[]
    }
    const { slug: name } = page
    targets.push({
      kind: 'bio',
      id: saved.page.id,
      name,
      visits,
      slope: 0.2,
      ...(shown && { popup: shown }),
    })
    for (const [i, link] of saved.links.entries()) {
      const visitsOfLink = Math.round(visits / (i + 2))
      targets.push({
        kind: 'bio_link',
        id: link.id,
        name,
        visits: visitsOfLink,
        slope: 0.4 - i / 2,
      })
    }
  }
  return targets
}
