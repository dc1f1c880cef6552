import { LRUCache } from 'lru-cache'
import { initialOf } from '#public-pages/avatar.tsx'
import { popupProperties, themeProperties } from '#public-pages/colors.ts'
import type { Context } from '../context.ts'
import { httpErrors } from '../http/errors.ts'
import { limitByAddress } from '../http/guards.ts'
import { type HttpCall, routesWith } from '../http/router.ts'
import type { BucketPolicy } from '../primitives/token-bucket.ts'
import type { NameEntry } from '../visits/name-entry.ts'
import { drawPicture, type Picture } from './picture.ts'

const perAddress: BucketPolicy = { name: 'pictures', burst: 30, windowSeconds: 60 }
/** The newest ones, each for one version of its page. */
const drawn = new LRUCache<NameEntry, Promise<Buffer>>({ max: 200 })

interface PictureCall extends HttpCall {
  deps: Pick<Context, 'config' | 'rateLimits' | 'visits'>
}

/** `/og`: the preview picture of a bio page or of a link with a popup. */
export const pictureRoutes = [
  routesWith<PictureCall>()(
    'GET',
    '/:file{[a-z0-9_-]{1,50}\\.png}',
    [limitByAddress(perAddress)],
    sendPicture,
  ),
]

async function sendPicture({ deps, params }: PictureCall): Promise<Response> {
  const entry = await deps.visits.find((params['file'] ?? '').replace(/\.png$/, ''))
  const picture = entry && describe(entry, deps.config.publicUrl)
  if (!entry || !picture) throw httpErrors.notFound()
  const known = drawn.get(entry) ?? drawPicture(picture)
  drawn.set(entry, known)
  known.catch(() => drawn.delete(entry))
  return new Response(new Uint8Array(await known), {
    headers: { 'Content-Type': 'image/png', 'Cache-Control': 'public, max-age=300' },
  })
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
