import { createElement, type ReactElement } from 'react'
import * as z from 'zod'
import { defaultLanguage } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
import { DeadLinkPage, MailedLinkPage, mailedLinkTexts } from '#public-pages/mailed-link-page.tsx'
import { hasFormBody } from '../../http/body.ts'
import { isSameOrigin } from '../../http/guards.ts'
import { pageResponse, pageTitle, publicPage } from '../../http/public-page.ts'
import type { Transaction } from '../../postgres/database.ts'
import { type AuthCall, readAccountBody, readFormFields, transaction } from '../call.ts'
import { claimedEmail, optionalText } from '../credentials.ts'
import { AuthError, authErrors } from '../errors.ts'
import { grantSignIn, insertFlow, redirectSignedIn, type SignInGrant } from '../flow-states.ts'
import { emailLogins } from '../guards.ts'
import { emailMark, recordEvent } from '../record-event.ts'
import { allowedRedirect, redirectFailed, redirectWith } from '../redirects.ts'
import { insertSession, sessionResponse } from '../sessions.ts'
import { kindsOf, linkType } from './emails.ts'
import {
  type EmailToken,
  type EmailTokenKind,
  findByCode,
  findBySecret,
} from './one-time-tokens.ts'
import {
  emailMethods,
  isHeldLink,
  issueHeldCode,
  recordEffects,
  type RedeemedToken,
  redeemToken,
} from './redeem.ts'
import { ifError } from '../../primitives/caught-error.ts'

export const verifyBody = z.object({
  type: optionalText,
  token: z.string().max(512).nullish(),
  token_hash: z.string().max(512).nullish(),
  email: optionalText,
  phone: optionalText,
})

/** Message of clients after the first of two addresses has confirmed a change. */
const halfDone =
  'Confirmation link accepted. Please proceed to confirm link sent to the other email'

/**
 * GET /verify: where an emailed link leads. It only shows a button, because mail scanners and previews open links too.
 */
export async function showEmailedLink(call: AuthCall): Promise<Response> {
  const link = readLink(call, call.url.searchParams)
  const kinds = acceptedKinds(call, link.type)
  const found = await transaction(call, (db) => findBySecret(db, kinds, link.secret))
  return found
    ? confirmPage(call, link)
    : deadLinkPage(call, link.redirectTo, notFound(call, link.type))
}

/** The tokens that a type of the protocol means; where passwords are off, those of the machine alone. */
function acceptedKinds({ deps }: AuthCall, type: string): readonly EmailTokenKind[] {
  const kinds = kindsOf(type)
  return deps.config.auth.passwords ? kinds : kinds.filter((kind) => kind === 'operator')
}

/** The refusal of a link that finds no token. */
function notFound(call: AuthCall, type: string): AuthError {
  const isClosed = kindsOf(type).length > 0 && acceptedKinds(call, type).length === 0
  return isClosed ? authErrors.emailLoginsDisabled() : authErrors.otpExpired()
}

/** POST /verify: JSON from a program, answered with the session; or the form of the button, answered with a redirect. */
export async function verify(call: AuthCall): Promise<Response> {
  return hasFormBody(call.request) ? followLink(call) : verifyJson(call)
}

async function verifyJson(call: AuthCall): Promise<Response> {
  const input = await readAccountBody(call, verifyBody)
  if (!input.type) throw authErrors.invalid('Verify requires a verification type')
  const kinds = acceptedKinds(call, input.type)
  if (kindsOf(input.type).length === 0)
    throw authErrors.invalid(`Unsupported verification type: ${input.type.slice(0, 40)}`)
  const given = readSecret(input)
  const isSignInCode = 'code' in given && (input.type === 'magiclink' || input.type === 'email')
  const redeemed = await transaction(call, async (db): Promise<Followed | undefined> => {
    const token =
      'code' in given
        ? await findByCode(db, call, { kinds, ...given })
        : await findBySecret(db, kinds, given.secret)
    const done = token && (await redeemToken(db, token))
    if (!done?.user) return done
    const method = isSignInCode ? 'otp' : emailMethods[done.token.kind]
    return { ...done, grant: { session: await insertSession(db, call, done.user.id, method) } }
  })
  if (!redeemed) {
    const facts = input.email ? { account: emailMark(input.email) } : {}
    recordEvent(call, 'mailed code refused', facts)
    await emailLogins(call)
    throw authErrors.otpExpired()
  }
  recordRedemption(call, redeemed)
  const { user, grant } = redeemed
  return user && grant?.session
    ? sessionResponse(call, grant.session, user)
    : Response.json({ msg: halfDone, code: '200' })
}

/** The protocol calls the secret of a link a token_hash; only its hash is stored. */
function readSecret({
  token_hash: secret,
  email: claimed,
  token,
}: z.output<typeof verifyBody>): { secret: string } | { email: string; code: string } {
  if (secret) {
    if (claimed) throw authErrors.invalid('Only the token_hash and type should be provided')
    return { secret }
  }
  if (!claimed || !token)
    throw authErrors.invalid('Verify requires a token_hash, or an email and a token')
  const email = claimedEmail(claimed)
  const code = token.trim()
  if (email.includes('\0') || code.includes('\0')) throw authErrors.otpExpired()
  return { email, code }
}

interface EmailedLink {
  secret: string
  type: string
  redirectTo: string
}

function readLink(call: AuthCall, fields: URLSearchParams): EmailedLink {
  return {
    secret: (fields.get('token') ?? fields.get('token_hash') ?? '').slice(0, 512),
    type: fields.get('type') ?? '',
    redirectTo: allowedRedirect(call.deps.config, fields.get('redirect_to')),
  }
}

/** The button was pressed: the browser goes on to where the email was requested, and the link is consumed or held. */
async function followLink(call: AuthCall): Promise<Response> {
  const link = readLink(call, await readFormFields(call))
  // Another site must not sign a person in to an account of its choice: they see the page and press the button.
  if (!isSameOrigin(call.request, call.deps.config.publicUrl)) return confirmPage(call, link)
  const consume = async () => {
    const followed = await transaction(call, async (db) => {
      const token = await findBySecret(db, acceptedKinds(call, link.type), link.secret)
      return token && follow(db, call, token)
    })
    if (followed) return leadOn(call, followed)
    // Text from an address does not go into the log as it is.
    const type = kindsOf(link.type).length > 0 ? link.type : 'unknown'
    recordEvent(call, 'mailed link refused', { type })
    return deadLinkPage(call, link.redirectTo, notFound(call, link.type))
  }
  return consume().catch(ifError(AuthError, (error) => deadLinkPage(call, link.redirectTo, error)))
}

/** Result of a link or code. A held link has a grant, and no user yet. */
interface Followed extends RedeemedToken {
  grant?: SignInGrant
}

async function follow(
  db: Transaction,
  call: AuthCall,
  token: EmailToken,
): Promise<Followed | undefined> {
  const redirectTo = wayBack(call, token)
  if (isHeldLink(token)) {
    const code = await issueHeldCode(db, token, redirectTo)
    return code === undefined
      ? undefined
      : { token, user: undefined, tookOver: false, grant: { code } }
  }
  const done = await redeemToken(db, token)
  if (!done?.user) return done
  const { challenge } = token
  const flow =
    challenge &&
    (await insertFlow(db, { provider: 'email', redirect_to: redirectTo, ...challenge }))
  const method = emailMethods[token.kind]
  return { ...done, grant: await grantSignIn(db, call, done.user.id, method, flow) }
}

async function leadOn(call: AuthCall, followed: Followed): Promise<Response> {
  const { token, user, grant } = followed
  const redirectTo = wayBack(call, token)
  if (grant && !user) {
    recordEvent(call, 'mailed link opened', { user_id: token.user_id, by: token.kind })
    return redirectWith(redirectTo, { query: { code: grant.code ?? '' } })
  }
  recordRedemption(call, followed)
  if (grant && user)
    return redirectSignedIn(call, redirectTo, { user, grant }, { type: linkType(token.kind) })
  const facts = { message: halfDone }
  return redirectWith(redirectTo, { fragment: facts, query: token.challenge ? facts : {} })
}

/** Checked again: the allow-list may have changed since the email went out. */
function wayBack({ deps }: AuthCall, token: EmailToken): string {
  return allowedRedirect(deps.config, token.redirect_to)
}

function recordRedemption(call: AuthCall, followed: Followed): void {
  const { token, user, grant } = followed
  const facts = { user_id: token.user_id, by: token.kind }
  if (!user) return recordEvent(call, 'change of address half agreed', facts)
  recordEffects(call, followed)
  recordEvent(call, 'sign-in', { ...facts, session_id: grant?.session?.id })
}

/** The page with the one button that consumes an emailed link. */
function confirmPage(call: AuthCall, { secret, type, redirectTo }: EmailedLink): Response {
  const content = createElement(MailedLinkPage, { secret, type, redirectTo })
  return linkPage(
    call,
    content,
    mailedLinkTexts(type, visitorTexts(defaultLanguage)).title(),
    redirectTo,
  )
}

/** The page for a link that is used, expired or wrong; its button leads on with the protocol's error. */
function deadLinkPage(call: AuthCall, redirectTo: string, error: AuthError): Response {
  const on = redirectFailed(redirectTo, error).headers.get('Location')
  const why = error.code === 'otp_expired' ? undefined : error.message
  const content = createElement(DeadLinkPage, { goOn: on ?? redirectTo, why })
  const title = visitorTexts(defaultLanguage).deadLink.heading()
  return linkPage(call, content, title, redirectTo, error.status)
}

function linkPage(
  { deps }: AuthCall,
  content: ReactElement,
  title: string,
  redirectTo: string,
  status?: number,
): Response {
  const { publicUrl } = deps.config
  const about = { title: pageTitle(title), description: title, publicUrl }
  const isOurs = new URL(redirectTo).origin === new URL(publicUrl).origin
  const page = publicPage(content, about, {}, { formsTo: isOurs ? 'us' : 'anywhere' })
  // The address of this page contains a secret.
  return pageResponse(page, status, { 'Referrer-Policy': 'same-origin' })
}
