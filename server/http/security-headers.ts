import type { MiddlewareHandler } from 'hono'
import type { PublicSite } from './public-site.ts'
import type { HttpEnvironment } from './router.ts'

/** For everything but pages: nothing in it may run, frame or load anything. */
export const dataPolicy = "default-src 'none'; frame-ancestors 'none'"

/** For a thread that compiles WebAssembly of this server. The document that starts it may not. */
export const workerPolicy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"

/** For the web app's document. Styles may be inline (React and toasts set them), scripts may not. */
export function appPolicy(captcha: 'turnstile' | 'hcaptcha' | undefined): string {
  const also = captcha === undefined ? '' : ` ${captchaHosts[captcha]}`
  return [
    "default-src 'self'",
    `script-src 'self'${also}`,
    `style-src 'self' 'unsafe-inline'${also}`,
    "img-src 'self' data: blob: https:",
    "font-src 'self'",
    `connect-src 'self'${also}`,
    ...(captcha === undefined ? [] : [`frame-src${also}`]),
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Sources of the captcha widget; added only where a captcha is configured. */
const captchaHosts = {
  turnstile: 'https://challenges.cloudflare.com',
  hcaptcha: 'https://hcaptcha.com https://*.hcaptcha.com',
} as const

/** Browser features that no page of ours uses. */
const permissions = ['camera', 'geolocation', 'microphone', 'payment', 'usb']
const permissionsPolicy = permissions.map((feature) => `${feature}=()`).join(', ')

/** The Strict-Transport-Security header of every response. The same on all, because browsers keep the newest. */
export function strictTransport({ publicUrl, hstsSubdomains }: PublicSite): string | undefined {
  if (!publicUrl.startsWith('https:')) return undefined
  return `max-age=31536000${hstsSubdomains ? '; includeSubDomains' : ''}`
}

/** Headers of every page besides its Content-Security-Policy. */
export const pageHeaders = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Permissions-Policy': permissionsPolicy,
}

const fixed = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  ...pageHeaders,
  'Content-Security-Policy': dataPolicy,
}

/** Headers on every response. Those of a handler's response replace them. */
export function securityHeaders(): MiddlewareHandler<HttpEnvironment> {
  return (c, next) => {
    for (const [name, value] of Object.entries(fixed)) c.env.outgoing.setHeader(name, value)
    const transport = strictTransport(c.get('info').place.site)
    if (transport !== undefined) c.env.outgoing.setHeader('Strict-Transport-Security', transport)
    return next()
  }
}
