import type { HitVerdict } from '#domain/reports/hits.ts'

/** Letters as in `app.click_events.verdict`. */
export const hitVerdicts = {
  counted: 'c',
  /** The same visitor opened the same target less than 30 minutes before. */
  repeat: 'r',
  /** The owner's own browser. */
  own: 'o',
  head: 'h',
  prefetch: 'f',
  previewer: 'p',
  crawler: 'b',
  monitor: 'm',
  program: 'g',
  /** Pages of a link that are no click. */
  password: 's',
  preview_page: 'v',
  not_yet: 'y',
  ended: 'x',
  /** It came with an archive, and is no click. */
  imported: 'i',
} as const satisfies Record<HitVerdict, string>

/** How a visitor got to a target. Letters as in `app.click_events.source`. */
export const hitSources = { link: 'l', qr: 'q', bio: 'b', popup: 'p', api: 'a' } as const
export type HitSource = keyof typeof hitSources
