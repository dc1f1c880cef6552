import type { z } from 'zod'
import type { EmailContent, EmailTemplate } from './email.ts'
import { factorAdded, factorRemoved, passwordChanged } from './templates/account-notices.ts'
import { paymentFailed } from './templates/payment-failed.ts'
import { receipt } from './templates/receipt.ts'
import {
  alreadyRegistered,
  confirmSignUp,
  emailChangeNew,
  emailChangeOld,
  invite,
  magicLink,
  reauthentication,
  recovery,
} from './templates/signing-in.ts'
import { test } from './templates/test.ts'

/** Every email that Hoplet sends, by its name in the outbox. */
export const templates = {
  receipt,
  'payment-failed': paymentFailed,
  'confirm-sign-up': confirmSignUp,
  recovery,
  'magic-link': magicLink,
  invite,
  'email-change-old': emailChangeOld,
  'email-change-new': emailChangeNew,
  reauthentication,
  'already-registered': alreadyRegistered,
  'password-changed': passwordChanged,
  'factor-added': factorAdded,
  'factor-removed': factorRemoved,
  test,
}

export type TemplateName = keyof typeof templates

/** The template of a newer Hoplet on the same database, which will send the email. */
export class UnknownTemplateError extends Error {
  name = 'UnknownTemplateError'
}

/** @throws {UnknownTemplateError} or {z.ZodError} when the data does not fit */
export function writeEmail(name: string, data: unknown): EmailContent {
  if (!isTemplate(name)) throw new UnknownTemplateError(`there is no template ${name}`)
  const template: EmailTemplate<z.ZodType> = templates[name]
  return template.write(template.schema.parse(data))
}

function isTemplate(name: string): name is TemplateName {
  return Object.hasOwn(templates, name)
}
