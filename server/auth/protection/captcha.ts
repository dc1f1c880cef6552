import * as z from 'zod'
import type { Config } from '../../config.ts'
import { BodyError, readJson } from '../../http/body.ts'
import type { AuthCall, AuthGuard } from '../call.ts'
import { authErrors } from '../errors.ts'
import { bearerToken } from '../guards.ts'
import { recordEvent } from '../record-event.ts'
import { ifError } from '../../primitives/caught-error.ts'

type CaptchaSettings = NonNullable<Config['auth']['captcha']>

const addresses = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
} as const

/** A person is waiting for this request. */
const timeoutMs = 5_000
const maxTokenLength = 4_096

const given = z.object({
  gotrue_meta_security: z.object({ captcha_token: z.string().max(maxTokenLength) }),
})
const verdict = z.object({ success: z.boolean() })

/**
 * For people who have solved the captcha, where one is configured. When the provider does not answer, the request is
 * refused: an attacker who can block the provider must not get past it.
 */
export const captcha: AuthGuard = async (call) => {
  const settings = call.deps.config.auth.captcha
  if (settings && !(await isService(call))) await check(call, settings, await tokenIn(call.request))
}

/** The operator's own programs solve no captchas. */
async function isService({ request, deps }: AuthCall): Promise<boolean> {
  const token = bearerToken(request)
  if (token === undefined) return false
  const identity = await deps.tokens.verify(token).catch(() => undefined)
  return identity?.role === 'service_role'
}

/** Reads a copy: the handler reads the body too, and reports its errors. */
async function tokenIn(request: Request): Promise<string | undefined> {
  const body = await readJson(request.clone()).catch(ifError(BodyError, () => undefined))
  return given.safeParse(body).data?.gotrue_meta_security.captcha_token
}

async function check(
  call: AuthCall,
  settings: CaptchaSettings,
  token: string | undefined,
): Promise<void> {
  if (!token) throw authErrors.captchaFailed('no captcha response found in request')
  const isSolved = await ask(settings, token, call.info.address).catch((error: unknown) => {
    call.info.log.error({ err: error }, 'the captcha provider did not answer')
    throw authErrors.captchaFailed('it cannot be checked right now, please try again later')
  })
  if (isSolved) return
  recordEvent(call, 'captcha refused', { path: call.url.pathname })
  throw authErrors.captchaFailed('the captcha was not solved')
}

/** Both providers share this protocol, and accept each token once. */
async function ask(
  { provider, secret, siteKey, verifyUrl }: CaptchaSettings,
  token: string,
  address: string,
): Promise<boolean> {
  const response = await fetch(verifyUrl ?? addresses[provider], {
    method: 'POST',
    body: new URLSearchParams({
      secret,
      response: token,
      remoteip: address,
      ...(provider === 'hcaptcha' && { sitekey: siteKey }),
    }),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok) throw new Error(`the captcha provider answered ${response.status}`)
  return verdict.parse(await response.json()).success
}
