import type { IncomingMessage } from 'node:http'
import { qrPath } from '#domain/links/qr-address.ts'
import { addressOf } from '../../http/client-address.ts'
import type { PublicSite } from '../../http/public-site.ts'
import { guardedLink, linkCookie, type VisitorPasswords } from './link-cookie.ts'
import type { LinkPages } from './link-pages.ts'
import type { Resolver } from '../names/resolver.ts'
import { type ResponseSink, textResponse, withHeaders } from '../responses.ts'
import type { VisitMeter } from '../visit-meter.ts'
import { readUpTo } from '../../primitives/read-up-to.ts'

export interface PasswordTakerDeps {
  config: PublicSite & { trustedProxies: number }
  resolver: Resolver
  passwords: VisitorPasswords
  linkPages: LinkPages
  meter: VisitMeter
}

/** 1,024 bytes, each percent-encoded, and the name of the field. */
const maxBodyBytes = 4 * 1024
/** How long a visitor may take to send the form. */
const bodyTimeoutMs = 10_000

/** A password that a visitor sent, or how the form fails. */
type SentPassword = { password: string } | { refused: 'not-a-form' | 'too-large' }

/** Reads the form of a password page. Rejects when the visitor goes away. */
async function readPasswordForm(request: IncomingMessage): Promise<SentPassword> {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) return { refused: 'not-a-form' }
  const timer = setTimeout(() => request.destroy(), bodyTimeoutMs)
  try {
    const body = await readUpTo(request, maxBodyBytes)
    if (!body) return { refused: 'too-large' }
    const form = new URLSearchParams(body.toString('utf8'))
    return { password: form.get('password') ?? '' }
  } finally {
    clearTimeout(timer)
  }
}

/** Handles the form of a password page. Resolves to false, with nothing sent, where there is no password to send. */
export function createPasswordTaker({
  config,
  resolver,
  passwords,
  linkPages,
  meter,
}: PasswordTakerDeps): (
  key: string,
  request: IncomingMessage,
  sink: ResponseSink,
) => Promise<boolean> {
  return async (key, request, sink) => {
    const sent = await readPasswordForm(request)
    if ('refused' in sent) {
      if (sent.refused === 'not-a-form') return false
      meter.decided('password')
      sink.send(textResponse(413, config, { Connection: 'close' }))
      return true
    }
    const entry = resolver.peek(key) ?? (await resolver.load(key))
    const guarded = entry?.kind === 'link' ? guardedLink(entry) : undefined
    if (entry?.kind !== 'link' || guarded === undefined) return false
    meter.decided('password')
    const url = request.url ?? ''
    const address = addressOf(request, config.trustedProxies)
    const refusal = await passwords.check(guarded, sent.password, address)
    if (refusal) sink.send(linkPages.password(entry, url, refusal))
    else {
      const [path = ''] = url.split('?')
      const site = entry.site ?? config
      const secure = site.publicUrl.startsWith('https:') ? '; Secure' : ''
      const cookieFor = (place: string) =>
        `${linkCookie(entry, guarded, passwords)}; Path=${place}; HttpOnly; SameSite=Lax${secure}`
      const headers = { Location: url, 'Set-Cookie': cookieFor(path), 'Cache-Control': 'no-store' }
      const answer = withHeaders(303, site, '', headers)
      // The next scan is not asked again.
      answer.headers.push('Set-Cookie', cookieFor(qrPath(entry.name)))
      sink.send(answer)
    }
    return true
  }
}
