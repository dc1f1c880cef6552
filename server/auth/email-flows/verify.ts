import * as z from 'zod'
import { BodyError, BodyTooLargeError, hasFormBody, readText } from '../../http/body.ts'
import { isSameOrigin } from '../../http/same-origin.ts'
import type { Transaction } from '../../postgres/database.ts'
import { type AuthCall, readBody, transaction } from '../call.ts'
import { recordEvent, emailMark } from '../record-event.ts'
import { AuthError } from '../auth-error.ts'
import { authErrors } from '../errors.ts'
import { insertFlow, issueAuthCode } from '../flow-states.ts'
import { allowedRedirect, redirectWith } from '../redirects.ts'
import { insertSession, sessionResponse, type Session, sessionTokens } from '../sessions.ts'
import type { User } from '../users.ts'
import { isHeldLink, issueHeldCode } from './held-links.ts'
import { kindsOf, linkTypes } from './links.ts'
import { findByCode, findBySecret, type EmailToken } from './one-time-tokens.ts'
import { countWrongCode, mayTryCode } from './mail-limits.ts'
import { emailMethods, recordEffects, redeemToken, type RedeemedToken } from './redeem.ts'
import { confirmPage, deadLinkPage } from './verify-pages.ts'

const body = z.object({
  type: z.string().nullish(),
  token: z.string().max(512).nullish(),
  token_hash: z.string().max(512).nullish(),
  email: z.string().nullish(),
  phone: z.string().nullish(),
})

/** What clients show after the first of two addresses has confirmed a change. */
const halfDone =
  'Confirmation link accepted. Please proceed to confirm link sent to the other email'

/**
 * GET /verify: where an emailed link leads. It only shows a button, because mail scanners and previews open links too.
 */
export async function showEmailedLink(call: AuthCall): Promise<Response> {
  const link = readLink(call, call.url.searchParams)
  const found = await transaction(call, (db) => findBySecret(db, kindsOf(link.type), link.secret))
  return found ? confirmPage(call, link) : deadLinkPage(call, link.redirectTo)
}

/** POST /verify: JSON from a program, answered with the session; or the form of the button, answered with a redirect. */
export async function verify(call: AuthCall): Promise<Response> {
  return hasFormBody(call.request) ? followLink(call) : verifyJson(call)
}

async function verifyJson(call: AuthCall): Promise<Response> {
  const input = await readBody(call, body)
  if (!input.type) throw authErrors.invalid('Verify requires a verification type')
  if (input.phone) throw authErrors.phoneDisabled()
  const kinds = kindsOf(input.type)
  if (kinds.length === 0)
    throw authErrors.invalid(`Unsupported verification type: ${input.type.slice(0, 40)}`)
  const { find, method } = input.token_hash
    ? bySecret(input.token_hash, input.email)
    : byCode(call, input)
  const redeemed = await transaction(call, async (db) => {
    const token = await find(db, kinds)
    if (!token) return undefined
    return redeemToken(db, token, (user) =>
      insertSession(db, call, user.id, method ?? emailMethods[token.kind]),
    )
  })
  if (!redeemed) {
    recordEvent(call, 'mailed code refused', {
      ...(input.email && { account: emailMark(input.email) }),
    })
    throw authErrors.otpExpired()
  }
  recordRedemption(call, redeemed, redeemed.kind === 'signed in' ? redeemed.result.id : undefined)
  return redeemed.kind === 'half'
    ? Response.json({ msg: halfDone, code: '200' }, { headers: { 'Cache-Control': 'no-store' } })
    : sessionResponse(call, redeemed.result, redeemed.user)
}

type Find = (db: Transaction, kinds: ReturnType<typeof kindsOf>) => Promise<EmailToken | undefined>

/** The protocol calls the secret of a link a token_hash; its hash is what is stored. */
function bySecret(
  secret: string,
  email: string | null | undefined,
): { find: Find; method?: undefined } {
  if (email) throw authErrors.invalid('Only the token_hash and type should be provided')
  return { find: (db, kinds) => findBySecret(db, kinds, secret) }
}

function byCode(
  call: AuthCall,
  input: z.output<typeof body>,
): { find: Find; method: 'otp' | undefined } {
  if (!input.email || !input.token) {
    throw authErrors.invalid('Verify requires a token_hash, or an email and a token')
  }
  const email = input.email.trim().toLowerCase()
  const code = input.token.trim()
  if (email.includes('\0') || code.includes('\0')) throw authErrors.otpExpired()
  return {
    method: input.type === 'magiclink' || input.type === 'email' ? 'otp' : undefined,
    async find(db, kinds) {
      const mayTry = await mayTryCode(call, db, email)
      const { token, isGuess } = await findByCode(db, call.deps.secretBox, {
        kinds,
        email,
        code,
      })
      if (token && mayTry) return token
      if (isGuess) await countWrongCode(call, db, email)
      return undefined
    },
  }
}

interface PressedLink {
  secret: string
  type: string
  redirectTo: string
}

function readLink(call: AuthCall, fields: URLSearchParams): PressedLink {
  return {
    secret: (fields.get('token') ?? fields.get('token_hash') ?? '').slice(0, 512),
    type: fields.get('type') ?? '',
    redirectTo: allowedRedirect(call.deps.config, fields.get('redirect_to')),
  }
}

/** The button was pressed: the browser goes on to where the email was requested, and the link is consumed or held. */
async function followLink(call: AuthCall): Promise<Response> {
  const link = readLink(call, await readForm(call))
  // Another site must not sign a person in to an account of its choice: they see the page and press the button.
  if (!isSameOrigin(call.request, call.deps.config.publicUrl)) return confirmPage(call, link)
  try {
    const followed = await transaction(call, async (db) => {
      const token = await findBySecret(db, kindsOf(link.type), link.secret)
      if (!token) return undefined
      if (isHeldLink(token)) return hold(db, call, token)
      return redeemToken(db, token, (user) => issue(db, call, user, token))
    })
    if (!followed) {
      recordEvent(call, 'mailed link refused', { type: linkTypeOf(link.type) })
      return deadLinkPage(call, link.redirectTo)
    }
    if (followed.kind === 'held') {
      recordEvent(call, 'mailed link opened', {
        user_id: followed.token.user_id,
        by: followed.token.kind,
      })
      return redirectWith(wayBack(call, followed.token), { query: { code: followed.code } })
    }
    const session =
      followed.kind === 'signed in' && followed.result.kind === 'session'
        ? followed.result.session.id
        : undefined
    recordRedemption(call, followed, session)
    return await leadOn(call, followed)
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return deadLinkPage(call, link.redirectTo, error)
  }
}

async function readForm({ request }: AuthCall): Promise<URLSearchParams> {
  try {
    return new URLSearchParams(await readText(request, 16 * 1_024))
  } catch (error) {
    if (error instanceof BodyError || error instanceof BodyTooLargeError)
      return new URLSearchParams()
    throw error
  }
}

async function hold(
  db: Transaction,
  call: AuthCall,
  token: EmailToken,
): Promise<{ kind: 'held'; code: string; token: EmailToken } | undefined> {
  const code = await issueHeldCode(db, token, wayBack(call, token))
  return code === undefined ? undefined : { kind: 'held', code, token }
}

type Issued = { kind: 'code'; code: string } | { kind: 'session'; session: Session }

/** PKCE clients get a code, which only their browser can exchange; others get a session. */
async function issue(
  db: Transaction,
  call: AuthCall,
  user: User,
  token: EmailToken,
): Promise<Issued> {
  const method = emailMethods[token.kind]
  const { code_challenge: challenge, code_challenge_method: how } = token
  if (challenge === null || how === null)
    return { kind: 'session', session: await insertSession(db, call, user.id, method) }
  const flow = await insertFlow(db, {
    provider: 'email',
    redirectTo: wayBack(call, token),
    challenge: { challenge, method: how },
  })
  return { kind: 'code', code: await issueAuthCode(db, flow, user.id, method) }
}

async function leadOn(call: AuthCall, redeemed: RedeemedToken<Issued>): Promise<Response> {
  const { token } = redeemed
  const redirectTo = wayBack(call, token)
  if (redeemed.kind === 'half') {
    const facts = { message: halfDone }
    return redirectWith(
      redirectTo,
      token.code_challenge === null ? { fragment: facts } : { query: facts, fragment: facts },
    )
  }
  const { result, user } = redeemed
  if (result.kind === 'code') return redirectWith(redirectTo, { query: { code: result.code } })
  const { user: _shown, ...tokens } = await sessionTokens(call, result.session, user)
  const fragment = Object.fromEntries(
    Object.entries({ ...tokens, type: linkTypes[token.kind] }).map(([name, value]) => [
      name,
      String(value),
    ]),
  )
  return redirectWith(redirectTo, { fragment })
}

/** Checked again: the allow-list may have changed since the email went out. */
function wayBack({ deps }: AuthCall, token: EmailToken): string {
  return allowedRedirect(deps.config, token.redirect_to)
}

/** Text from an address does not go into the log as it is. */
function linkTypeOf(type: string): string {
  return kindsOf(type).length > 0 ? type : 'unknown'
}

function recordRedemption(
  call: AuthCall,
  redeemed: RedeemedToken<unknown>,
  sessionId: string | undefined,
): void {
  const { token } = redeemed
  const facts = { user_id: token.user_id, by: token.kind }
  if (redeemed.kind === 'half') return recordEvent(call, 'change of address half agreed', facts)
  recordEffects(call, redeemed)
  recordEvent(call, 'sign-in', {
    ...facts,
    ...(sessionId !== undefined && { session_id: sessionId }),
  })
}
