import { z } from 'zod'
import { scopeWords } from '#domain/access/oauth-scopes.ts'
import { spaceRoles } from '#domain/access/space-roles.ts'
import { routes } from '#domain/routes.ts'
import { template } from './template.ts'

const factorData = z.object({ factor: z.enum(['totp', 'webauthn', 'phone']) })

/** Emails about changes of an account. */
export const accountTemplates = {
  'password-changed': template(z.object({}), ({ texts: { 'password-changed': texts } }) => ({
    subject: texts.subject(),
    title: texts.title(),
    parts: [texts.changed(), texts.notYou(), { button: texts.open(), to: routes.auth.path }],
  })),
  'factor-added': template(
    factorData,
    ({ data: { factor }, texts: { 'factor-added': texts, factors } }) => ({
      subject: texts.subject(),
      title: texts.title(),
      parts: [
        texts.added({ factor: factors[factor]() }),
        texts.notYou(),
        { button: texts.seeSettings(), to: routes.settings.path },
      ],
    }),
  ),
  /** After an account lost a second factor that counted. */
  'factor-removed': template(
    factorData,
    ({ data: { factor }, texts: { 'factor-removed': texts, factors } }) => ({
      subject: texts.subject(),
      title: texts.title(),
      parts: [
        texts.removed({ factor: factors[factor]() }),
        texts.notYou(),
        { button: texts.seeSettings(), to: routes.settings.path },
      ],
    }),
  ),
  /** An archive of the account can be downloaded; `isWhole` says whether all of it found room. */
  'archive-ready': template(
    z.object({ isWhole: z.boolean() }),
    ({ data: { isWhole }, texts: { 'archive-ready': texts } }) => ({
      subject: texts.subject(),
      title: texts.title(),
      parts: [
        texts.intro(),
        ...(isWhole ? [] : [texts.partial()]),
        { button: texts.open(), to: routes.settings.href({ tab: 'account' }) },
        texts.notYou(),
      ],
    }),
  ),
  /** The DNS records of a domain have been wrong for two or four weeks. */
  'domain-failing': template(
    z.object({ host: z.string().max(253), days: z.int().min(1), lacksProof: z.boolean() }),
    ({ data: { host, days, lacksProof }, texts: { 'domain-failing': texts } }) => ({
      subject: texts.subject({ host }),
      title: texts.title({ host }),
      parts: [
        lacksProof ? texts.proof({ host }) : texts.direction({ host }),
        texts.left({ count: days }),
        { button: texts.open(), to: routes.settings.path },
      ],
    }),
  ),
  /** A domain is no longer served. */
  'domain-lost': template(
    z.object({ host: z.string().max(253), isTaken: z.boolean() }),
    ({ data: { host, isTaken }, texts: { 'domain-lost': texts } }) => ({
      subject: texts.subject({ host }),
      title: texts.title({ host }),
      parts: [
        isTaken ? texts.taken({ host }) : texts.expired({ host }),
        texts.kept(),
        { button: texts.open(), to: routes.settings.path },
      ],
    }),
  ),
  /** To an address that an owner of a space typed. */
  'space-invitation': template(
    z.object({
      space: z.string().max(100),
      role: z.enum(spaceRoles),
      link: z.string().max(200),
    }),
    ({ data: { space, role, link }, texts: { 'space-invitation': texts } }) => ({
      subject: texts.subject({ space }),
      title: texts.title({ space }),
      toAnyone: true,
      parts: [texts[role](), texts.once(), { button: texts.open(), to: link }, texts.notYou()],
    }),
  ),
  /** `hint` is the beginning of the key. */
  'api-key-created': template(
    z.object({ hint: z.string().regex(/^[0-9A-Za-z]{4}$/), scopes: z.array(z.string()).max(100) }),
    ({ data: { hint, scopes }, texts: { 'api-key-created': texts } }) => ({
      subject: texts.subject(),
      title: texts.title(),
      parts: [
        // The words of the consent screen and the settings, which are the app's.
        texts.created({
          start: `hop_${hint}`,
          permissions: scopeWords(scopes).map(lowerFirst).join('; '),
        }),
        texts.notYou(),
        { button: texts.seeKeys(), to: routes.settings.href({ tab: 'api-keys' }) },
      ],
    }),
  ),
  /** A webhook was switched off. `isGone`: because its receiver said that it is gone, else because it accepted nothing. */
  'webhook-disabled': template(
    z.object({ host: z.string().max(300), isGone: z.boolean() }),
    ({ data: { host, isGone }, texts: { 'webhook-disabled': texts } }) => ({
      subject: texts.subject({ host }),
      title: texts.title(),
      parts: [
        isGone ? texts.gone({ host }) : texts.silent({ host }),
        texts.missed(),
        { button: texts.seeWebhooks(), to: routes.settings.href({ tab: 'webhooks' }) },
      ],
    }),
  ),
}

function lowerFirst(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1)
}
