import * as z from 'zod'
import { BodyError, BodyTooLargeError, readJson } from '../../http/body.ts'
import { audit, type AuthCall, type Handler } from '../call.ts'
import { authErrors } from '../errors.ts'

/** Which service asks people to show that they are no program. */
export interface CaptchaSettings {
  provider: 'turnstile' | 'hcaptcha'
  siteKey: string
  secret: string
  /** Where tokens are checked, if not at the provider's own address. */
  verifyUrl: string | undefined
}

const addresses = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
} as const

/** Somebody waits for it. */
const timeLimit = 5_000
const longestToken = 4_096

const given = z.object({ gotrue_meta_security: z.object({ captcha_token: z.string() }) })
const verdict = z.object({ success: z.boolean() })

/**
 * Lets a handler run only for people who have solved the captcha, where one is set up. A provider that does not answer
 * lets nobody in: who can keep it from answering must not get past it.
 */
export function captchaChecked(handler: Handler): Handler {
  return async (call) => {
    const { captcha } = call.context.config.auth
    if (captcha && !(await isService(call))) await check(call, captcha, await tokenIn(call.request))
    return handler(call)
  }
}

/** The operator's own programs solve no captchas. */
async function isService({ request, context }: AuthCall): Promise<boolean> {
  const token = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  if (token === undefined) return false
  const identity = await context.tokens.verify(token).catch(() => undefined)
  return identity?.role === 'service_role'
}

/** The handler reads the body once more, and says what is wrong with one that cannot be read. */
async function tokenIn(request: Request): Promise<string | undefined> {
  try {
    const parsed = given.safeParse(await readJson(request.clone()))
    const token = parsed.data?.gotrue_meta_security.captcha_token
    return token === undefined || token.length > longestToken ? undefined : token
  } catch (error) {
    if (error instanceof BodyError || error instanceof BodyTooLargeError) return undefined
    throw error
  }
}

async function check(
  call: AuthCall,
  settings: CaptchaSettings,
  token: string | undefined,
): Promise<void> {
  if (!token) throw authErrors.captchaFailed('no captcha response found in request')
  const isSolved = await ask(settings, token, call.caller.address).catch((error: unknown) => {
    call.caller.log.error({ err: error }, 'the captcha provider cannot be asked')
    throw authErrors.captchaFailed('it cannot be checked right now, please try again later')
  })
  if (isSolved) return
  audit(call, 'captcha refused', { path: call.url.pathname })
  throw authErrors.captchaFailed('the captcha was not solved')
}

/** Both providers speak alike. A token is good once: they see to that. */
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
    signal: AbortSignal.timeout(timeLimit),
  })
  if (!response.ok) throw new Error(`the captcha provider answered ${response.status}`)
  return verdict.parse(await response.json()).success
}
