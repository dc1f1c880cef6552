import { LRUCache } from 'lru-cache'
import { bioPicture, homePicture } from '#public-pages/preview-picture.ts'
import { qrAddress } from '#domain/links/qr-address.ts'
import { drawQr } from '#domain/qr/draw-qr.ts'
import { plainQrLook } from '#domain/qr/qr-look.ts'
import type { Context } from '../context.ts'
import { httpErrors } from '../http/errors.ts'
import { limitByAddress } from '../http/guards.ts'
import { hasApp } from '../http/public-site.ts'
import { type HttpCall, routesWith } from '../http/router.ts'
import type { BucketPolicy } from '../primitives/token-bucket.ts'
import type { NameEntry } from '../visits/names/name-entry.ts'
import { drawTag } from '../pictures/tag-picture.ts'
import { drawPicture } from './picture.ts'

const perAddress: BucketPolicy = { name: 'pictures', burst: 30, windowSeconds: 60 }
/** The newest ones, each for one version of its page; of Home by the server's address. */
const drawn = new LRUCache<NameEntry | string, Promise<Buffer>>({ max: 200 })

interface PictureCall extends HttpCall {
  deps: Pick<Context, 'rateLimits' | 'visits'>
}

/** `/og`: the preview picture of Home, of a bio page, or of a link with a popup or a preview: its tag. */
export const pictureRoutes = [
  routesWith<PictureCall>()(
    'GET',
    '/:file{[a-z0-9_-]{1,50}\\.png}',
    [limitByAddress(perAddress)],
    sendPicture,
  ),
]

async function sendPicture({ deps, params, info }: PictureCall): Promise<Response> {
  const { prefix, links } = info.place
  const { publicUrl } = links
  const name = (params['file'] ?? '').replace(/\.png$/, '')
  // 'home' is a reserved word, so that no link of the own host can have it.
  const isHome = name === 'home' && hasApp(info.place)
  const home = info.place.site.publicUrl
  const key = isHome ? home : await deps.visits.find(prefix + name)
  const draw =
    typeof key === 'string' ? () => drawPicture(homePicture(home)) : drawerOf(key, publicUrl)
  if (!key || !draw) throw httpErrors.notFound()
  const known = drawn.get(key) ?? draw()
  drawn.set(key, known)
  known.catch(() => drawn.delete(key))
  return new Response(new Uint8Array(await known), {
    headers: { 'Content-Type': 'image/png', 'Cache-Control': 'public, max-age=300' },
  })
}

/** Undefined for a name without a picture. The tag of a link says no more than its public pages. */
function drawerOf(
  entry: NameEntry | undefined,
  publicUrl: string,
): (() => Promise<Buffer>) | undefined {
  if (entry?.kind === 'bio') return () => drawPicture(bioPicture(entry.view))
  if (entry?.kind !== 'link') return undefined
  const { name, popup, options, title } = entry
  if (options?.startsAt !== undefined && Date.now() < options.startsAt) return undefined
  const preview = options?.hasPreview === true ? options.preview : undefined
  const shownPopup = options?.hasPassword === true ? undefined : popup?.view
  if (!shownPopup && !preview) return undefined
  const shownTitle = shownPopup?.title ?? preview?.title ?? title ?? null
  const qrCode = drawQr(qrAddress(`${publicUrl}/${name}`), plainQrLook)
  return () => drawTag({ code: name, title: shownTitle, publicUrl, qrCode })
}
