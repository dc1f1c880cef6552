import { z } from 'zod'
import { routes } from '#domain/routes.ts'
import { template } from './template.ts'

const link = z.string().max(6_000)
const code = z.string().regex(/^\d{6}$/)
// Nothing that people typed about themselves: anyone who knows an address can trigger these emails.
const linkAndCode = z.object({ link, code })

/** Emails with a link, a code or both, and those around them. */
export const signInTemplates = {
  /** After a sign-up. `needsPassword`: two sign-ups with different passwords, so that neither is valid. */
  'confirm-sign-up': template(
    linkAndCode.extend({ needsPassword: z.boolean().default(false) }),
    ({ data, texts: { 'confirm-sign-up': texts } }) => ({
      subject: texts.subject(),
      title: texts.title(),
      toAnyone: true,
      parts: [
        texts.intro(),
        { button: texts.confirm(), to: data.link },
        { code: data.code },
        data.needsPassword ? texts.noPassword() : '',
        texts.notYou(),
      ],
    }),
  ),
  recovery: template(linkAndCode, ({ data, texts: { recovery: texts } }) => ({
    subject: texts.subject(),
    title: texts.title(),
    toAnyone: true,
    parts: [
      texts.intro(),
      { button: texts.reset(), to: data.link },
      { code: data.code },
      texts.notYou(),
    ],
  })),
  'magic-link': template(linkAndCode, ({ data, texts: { 'magic-link': texts } }) => ({
    subject: texts.subject(),
    title: texts.title(),
    toAnyone: true,
    parts: [
      texts.intro(),
      { button: texts.signIn(), to: data.link },
      { code: data.code },
      texts.notYou(),
    ],
  })),
  /** For an account that an admin created. */
  invite: template(linkAndCode, ({ data, texts: { invite: texts } }) => ({
    subject: texts.subject(),
    title: texts.title(),
    toAnyone: true,
    parts: [
      texts.intro(),
      { button: texts.accept(), to: data.link },
      { code: data.code },
      texts.notExpected(),
    ],
  })),
  /** To the current address of an account, before it changes. */
  'email-change-old': template(
    linkAndCode.extend({ newEmail: z.string().max(320) }),
    ({ data, texts: { 'email-change-old': texts } }) => ({
      subject: texts.subject(),
      title: texts.title(),
      parts: [
        texts.intro(),
        { facts: [[texts.newAddress(), data.newEmail]] },
        { button: texts.agree(), to: data.link },
        { code: data.code },
        texts.notYou(),
      ],
    }),
  ),
  /** To the new address of an account. */
  'email-change-new': template(linkAndCode, ({ data, texts: { 'email-change-new': texts } }) => ({
    subject: texts.subject(),
    title: texts.title(),
    toAnyone: true,
    parts: [
      texts.intro(),
      { button: texts.confirm(), to: data.link },
      { code: data.code },
      texts.notYou(),
    ],
  })),
  /** Confirms a change of an account, for the form that asks for the code. */
  reauthentication: template(
    z.object({ code }),
    ({ data, texts: { reauthentication: texts } }) => ({
      subject: texts.subject(),
      title: texts.title(),
      parts: [texts.intro(), { code: data.code }, texts.notYou()],
    }),
  ),
  /** To an address with an account, after another sign-up with it or a change to it. */
  'already-registered': template(z.object({}), ({ texts: { 'already-registered': texts } }) => ({
    subject: texts.subject(),
    title: texts.title(),
    parts: [texts.intro(), { button: texts.signIn(), to: routes.auth.path }, texts.notYou()],
  })),
}
