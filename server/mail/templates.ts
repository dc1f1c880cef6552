import type { z } from 'zod'
import type { Letter, Template } from './letter.ts'
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

/** Every mail that Hoplet sends, by the name that stands in the outbox. */
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

/** Written by a newer Hoplet beside this one, which will send it. */
export class UnknownTemplateError extends Error {
  name = 'UnknownTemplateError'
}

/** @throws {UnknownTemplateError} or {z.ZodError} when the data does not fit */
export function writeLetter(name: string, data: unknown): Letter {
  if (!isTemplate(name)) throw new UnknownTemplateError(`there is no template ${name}`)
  const template: Template<z.ZodType> = templates[name]
  return template.write(template.schema.parse(data))
}

function isTemplate(name: string): name is TemplateName {
  return Object.hasOwn(templates, name)
}
