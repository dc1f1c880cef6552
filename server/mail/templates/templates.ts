import { z } from 'zod'
import { addressOfName } from '#domain/links/link-address.ts'
import { routes } from '#domain/routes.ts'
import type { TextLanguage } from '#domain/texts/languages.ts'
import type { MailTexts } from '#domain/texts/catalogs.generated.ts'
import { mailTexts } from '#domain/texts/mail-texts.ts'
import type { EmailContent } from '../layout.ts'
import { accountTemplates } from './account.ts'
import { clickTemplates } from './clicks.ts'
import { paymentTemplates } from './payments.ts'
import { signInTemplates } from './sign-in.ts'
import { type MailedSite, template } from './template.ts'

/** Each email by its name in the outbox. Its words are in the catalog (domain/texts/en/mail.json), in a section of the same name. */
export const templates = {
  ...signInTemplates,
  ...accountTemplates,
  ...paymentTemplates,
  ...clickTemplates,
  /** To an address that was given in a popup. `code` names the link or page that showed it. */
  'lead-confirmation': template(
    z.object({
      link: z.string().max(200),
      unsubscribe: z.string().max(200),
      code: z.string().max(304).nullable(),
      owner: z.string().nullable().default(null),
      popup: z.string().nullable().default(null),
      consent: z.string().default(''),
    }),
    ({ data, texts: { 'lead-confirmation': texts }, linksUrl }) => ({
      subject: subjectOf(texts, data.owner),
      title: texts.title(),
      toAnyone: true,
      parts: [
        texts.intro(),
        {
          facts: [
            [texts.from(), data.owner ?? ''],
            [texts.popup(), data.popup ?? ''],
            [texts.consent(), data.consent],
            [texts.address(), addressOf(data.code ?? '', linksUrl)],
          ],
        },
        { button: texts.confirm(), to: data.link },
        texts.notYou(),
        { button: texts.unsubscribe(), to: data.unsubscribe },
      ],
    }),
  ),
  /** The email of `npm run mail -- EMAIL`. */
  test: template(
    z.object({ note: z.string().max(500).default('') }),
    ({ data: { note }, texts: { test: texts } }) => ({
      subject: texts.subject(),
      title: texts.title(),
      parts: [texts.works(), note, { button: texts.open(), to: routes.home.path }],
    }),
  ),
}

/** The address of the link or page that showed the popup: a name, behind the host of its domain if it has one. */
function addressOf(code: string, linksUrl: string): string {
  const at = code.indexOf('/')
  return addressOfName(linksUrl, {
    name: code.slice(at + 1),
    domain: at === -1 ? null : code.slice(0, at),
  })
}

/** Names the person who asks: an email that does not reads like phishing. */
function subjectOf(texts: MailTexts['lead-confirmation'], owner: string | null): string {
  const name = owner?.trim() ?? ''
  return name === '' ? texts.subject() : texts.subjectFrom({ name })
}

export type TemplateName = keyof typeof templates

/** The template of a newer Hoplet on the same database, which will send the email. */
export class UnknownTemplateError extends Error {
  name = 'UnknownTemplateError'
}

/** @throws {UnknownTemplateError} or {z.ZodError} when the data does not fit */
export function writeEmail(
  name: string,
  data: unknown,
  { publicUrl, linksUrl }: MailedSite,
  language: TextLanguage,
): EmailContent {
  if (!isTemplate(name)) throw new UnknownTemplateError(`there is no template ${name}`)
  return templates[name].write({
    data,
    texts: mailTexts(language),
    language,
    publicUrl: publicUrl.replace(/\/$/, ''),
    linksUrl: linksUrl.replace(/\/$/, ''),
  })
}

function isTemplate(name: string): name is TemplateName {
  return Object.hasOwn(templates, name)
}

/** The page that ends emails of this kind with one press (RFC 8058), as a path. */
export function unsubscribePath(data: unknown): string | undefined {
  return z.object({ unsubscribe: z.string() }).safeParse(data).data?.unsubscribe
}
