import { z } from 'zod'
import { scopeWords } from '#domain/access/oauth-scopes.ts'
import { planOffers, plans } from '#domain/plans.ts'
import { routes } from '#domain/routes.ts'
import emails from './emails.json' with { type: 'json' }
import { type EmailContent, emailContent } from './layout.ts'

const link = z.string().max(6_000)
const code = z.string().regex(/^\d{6}$/)
// Nothing that people typed about themselves: anyone who knows an address can trigger these emails.
const linkAndCode = z.object({ link, code })
const count = z.int().min(0)
const instant = z.iso.datetime({ offset: true })

const payment = z.object({
  /** The free plan is never paid for, so it has no name here. */
  plan: z
    .enum(plans)
    .transform((plan) => (plan === 'free' ? 'Hoplet' : `Hoplet ${planOffers[plan].name}`)),
  /** In the currency's smallest unit, as payment providers count. */
  amount: z.int().min(0),
  currency: z.string().regex(/^[a-z]{3}$/i),
})

const factor = z.enum(['totp', 'webauthn', 'phone']).transform((type) => factorNames[type])
const factorNames = {
  totp: 'an authenticator app',
  webauthn: 'a security key',
  phone: 'a phone number',
}

/**
 * Data of each email, by its name in the outbox. The schema checks the data and turns it into the words that
 * replace `{name}` in the text (emails.json).
 */
export const templates = {
  /** For an invoice that was paid. */
  receipt: payment
    .extend({
      number: z.string().max(200).nullable(),
      paidAt: instant.transform(day),
      periodEnd: instant.transform(day),
    })
    .transform(({ number, ...data }) => ({ ...data, amount: money(data), number: number ?? '' })),
  /** For a renewal that could not be paid. `nextAttempt` is null when it is not tried again. */
  'payment-failed': payment
    .extend({ nextAttempt: instant.nullable(), portalUrl: z.string().max(2_000) })
    .transform(({ nextAttempt, ...data }) => ({
      ...data,
      amount: money(data),
      outlook:
        nextAttempt === null
          ? 'We will not try again. Your links keep working; to keep your plan, please pay with another card.'
          : `We will try again on ${day(nextAttempt)}. Your links keep working; to keep your plan, please check your card before then.`,
    })),
  /** After a sign-up. `needsPassword`: two sign-ups with different passwords, so that neither is valid. */
  'confirm-sign-up': linkAndCode.extend({
    needsPassword: z
      .boolean()
      .default(false)
      .transform((isNeeded) =>
        isNeeded
          ? 'This address was signed up more than once, with different passwords, so none of them works. You can set one under “Forgot password?” afterwards.'
          : '',
      ),
  }),
  recovery: linkAndCode,
  'magic-link': linkAndCode,
  /** For an account that an admin created. */
  invite: linkAndCode,
  /** To the current address of an account, before it changes. */
  'email-change-old': linkAndCode.extend({ newEmail: z.string().max(320) }),
  /** To the new address of an account. */
  'email-change-new': linkAndCode,
  /** Confirms a change of an account, for the form that asks for the code. */
  reauthentication: z.object({ code }),
  /** To an address with an account, after another sign-up with it or a change to it. */
  'already-registered': z.object({}),
  'password-changed': z.object({}),
  'factor-added': z.object({ factor }),
  /** After an account lost a second factor that counted. */
  'factor-removed': z.object({ factor }),
  /** A link was clicked for the first time, or that many times. */
  'click-milestone': z
    .object({ code: z.string().max(64), clicks: count })
    .transform(({ code, clicks }) => ({
      code,
      passed: clicks === 1 ? 'its first click' : `${grouped(clicks)} clicks`,
      linkPage: routes.link.href({ code }),
    })),
  /** Summary of the week that ended on Sunday. */
  'weekly-summary': z
    .object({
      clicks: count,
      before: count,
      visitors: count,
      busiest: z.array(z.object({ code: z.string().max(64), clicks: count })).max(5),
    })
    .transform(({ clicks, before, visitors, busiest }) => ({
      clicks: grouped(clicks),
      before: grouped(before),
      visitors: grouped(visitors),
      ...Object.fromEntries(
        Array.from({ length: 5 }, (_, n) => {
          const link = busiest[n]
          return [
            [`link${n}`, link ? `/${link.code}` : ''],
            [`clicks${n}`, link ? grouped(link.clicks) : ''],
          ]
        }).flat(),
      ),
    })),
  /** `hint` is the beginning of the key. */
  'api-key-created': z
    .object({ hint: z.string().regex(/^[0-9A-Za-z]{4}$/), scopes: z.array(z.string()).max(100) })
    .transform(({ hint, scopes }) => ({
      hint,
      permissions: scopeWords(scopes).map(lowerFirst).join('; '),
    })),
  /** A webhook was switched off. `isGone`: because its receiver said that it is gone, else because it accepted nothing. */
  'webhook-disabled': z
    .object({ host: z.string().max(300), isGone: z.boolean() })
    .transform(({ host, isGone }) => ({
      host,
      why: isGone
        ? 'It answered with the status 410, which means that it is gone for good.'
        : 'It has accepted nothing for three days, although we tried again and again.',
    })),
  /** The email of `npm run mail -- EMAIL`. */
  /** To an address that was given in a popup. `code` names the link or page that showed it. */
  'lead-confirmation': z
    .object({
      link: z.string().max(200),
      unsubscribe: z.string().max(200),
      code: z.string().max(50).nullable(),
      owner: z.string().nullable().default(null),
      popup: z.string().nullable().default(null),
      consent: z.string().default(''),
    })
    .transform(({ code, owner, popup, ...data }) => ({
      ...data,
      place: `/${code ?? ''}`,
      owner: owner ?? '',
      popup: popup ?? '',
    })),
  test: z.object({ note: z.string().max(500).default('') }),
}

export type TemplateName = keyof typeof templates

/** The template of a newer Hoplet on the same database, which will send the email. */
export class UnknownTemplateError extends Error {
  name = 'UnknownTemplateError'
}

/** @throws {UnknownTemplateError} or {z.ZodError} when the data does not fit */
export function writeEmail(name: string, data: unknown, publicUrl: string): EmailContent {
  if (!isTemplate(name)) throw new UnknownTemplateError(`there is no template ${name}`)
  const words: Record<string, string> = {
    site: publicUrl.replace(/\/$/, ''),
    homePage: routes.home.path,
    signInPage: routes.auth.path,
    settingsPage: routes.settings.path,
    upgradePage: routes.upgrade.path,
    analyticsPage: routes.analytics.path,
    apiKeysPage: routes.settings.href({ tab: 'api-keys' }),
    webhooksPage: routes.settings.href({ tab: 'webhooks' }),
    ...templates[name].parse(data),
  }
  const fill = (text: string) =>
    text.replaceAll(/\{(\w+)\}/g, (gap, word: string) => words[word] ?? gap)
  return emailContent.parse(
    JSON.parse(JSON.stringify(emails[name]), (_key, value: unknown) =>
      typeof value === 'string' ? fill(value) : value,
    ),
  )
}

function isTemplate(name: string): name is TemplateName {
  return Object.hasOwn(templates, name)
}

/** The page that ends emails of this kind with one press (RFC 8058), as a path. */
export function unsubscribePath(data: unknown): string | undefined {
  return z.object({ unsubscribe: z.string() }).safeParse(data).data?.unsubscribe
}

/** 700 and 'usd' become `$7.00`; yen have no cents. */
function money({ amount, currency }: { amount: number; currency: string }): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}

function grouped(count: number): string {
  return new Intl.NumberFormat('en-US').format(count)
}

/** 'November 21, 2026', in UTC: the reader's time zone is unknown. */
function day(instant: string): string {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(instant),
  )
}

function lowerFirst(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1)
}
