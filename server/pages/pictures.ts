import { LRUCache } from 'lru-cache'
import { initialOf } from '#public-pages/avatar.tsx'
import { popupProperties, themeProperties } from '#public-pages/colors.ts'
import type { Context } from '../context.ts'
import { limitKey } from '../http/client-address.ts'
import type { Door } from '../http/door.ts'
import type { BucketPolicy } from '../primitives/token-bucket.ts'
import type { NameEntry } from '../visits/name-entry.ts'
import { drawPicture, type Picture } from './picture.ts'

const perAddress: BucketPolicy = { name: 'pictures', burst: 30, windowSeconds: 60 }
const maxPictures = 200

/** `GET /og/{name}.png`: the preview picture of a bio page or of a link with a popup, drawn once per version. */
export function createPicturesDoor(context: Context): Door {
  const drawn = new LRUCache<NameEntry, Promise<Buffer>>({ max: maxPictures })

  const pictureOf = (entry: NameEntry, picture: Picture): Promise<Buffer> => {
    const known = drawn.get(entry)
    if (known) return known
    const made = drawPicture(picture)
    drawn.set(entry, made)
    made.catch(() => drawn.delete(entry))
    return made
  }

  return async (request, info) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } })
    }
    const name = /^\/og\/([a-z0-9_-]{1,50})\.png$/.exec(new URL(request.url).pathname)?.[1]
    if (name === undefined) return notFoundResponse()
    const wait = context.rateLimits.take(perAddress, limitKey(info.address))
    if (wait !== undefined) {
      return new Response(null, {
        status: 429,
        headers: { 'Retry-After': String(Math.ceil(wait)) },
      })
    }
    const entry = await context.visits.find(name)
    const picture = entry && describe(entry, context.config.publicUrl)
    if (!entry || !picture) return notFoundResponse()
    return new Response(new Uint8Array(await pictureOf(entry, picture)), {
      headers: { 'Content-Type': 'image/png', 'Cache-Control': 'public, max-age=300' },
    })
  }
}

function notFoundResponse(): Response {
  return new Response(null, { status: 404, headers: { 'Cache-Control': 'no-store' } })
}

function describe(entry: NameEntry, publicUrl: string): Picture | undefined {
  if (entry.kind === 'bio') {
    const { title, description, address, theme } = entry.view
    const colors = themeProperties(theme)
    return {
      title: `@${title}`,
      description,
      initial: initialOf(title),
      address,
      background: colors['--hp-bio-background'] ?? '#ffffff',
      ink: colors['--hp-bio-text'] ?? '#1c1712',
      accent: colors['--hp-bio-primary'] ?? '#f97a2b',
      onAccent: colors['--hp-bio-on-primary'] ?? '#ffffff',
    }
  }
  const popup = entry.kind === 'link' ? entry.popup?.view : undefined
  if (entry.kind !== 'link' || !popup) return undefined
  const colors = popupProperties(popup)
  return {
    title: popup.title,
    description: popup.description,
    initial: '',
    address: `${publicUrl}/${entry.name}`,
    background: colors['--hp-popup-background'] ?? '#ffffff',
    ink: colors['--hp-popup-text'] ?? '#1a1a1a',
    accent: colors['--hp-popup-button'] ?? '#3b82f6',
    onAccent: colors['--hp-popup-button-text'] ?? '#ffffff',
  }
}
