import type { z } from 'zod'

/** The content of an email, before it becomes HTML and plain text (layout.ts). Every string may hold any characters. */
export interface EmailContent {
  subject: string
  title: string
  parts: EmailPart[]
  /** For emails to addresses without an account: somebody typed the address. */
  toAnyone?: boolean
}

/** A paragraph, a small table, digits to type, or a button, which always leads to this server. */
export type EmailPart =
  | string
  | { facts: [label: string, value: string][] }
  | { code: string }
  | Button

interface Button {
  button: string
  /** A path, or an address of which only the path is used. */
  to: string
}

export interface EmailTemplate<Schema extends z.ZodType> {
  schema: Schema
  write(data: z.output<Schema>): EmailContent
}

/** Ties a template to the schema of its data. */
export function defineTemplate<Schema extends z.ZodType>(
  schema: Schema,
  write: (data: z.output<Schema>) => EmailContent,
): EmailTemplate<Schema> {
  return { schema, write }
}
