import type { z } from 'zod'

/** What a mail says, before it becomes HTML and plain text (layout.ts). Every string may hold anything. */
export interface Letter {
  subject: string
  title: string
  parts: Part[]
  /** For mails to people who may have no account: somebody typed their address. */
  toAnybody?: boolean
}

/** A paragraph, a small table, digits to type, or the one thing to do, whose address always leads to this server. */
export type Part = string | { facts: [label: string, value: string][] } | { code: string } | Button

interface Button {
  button: string
  /** A path, or an address of which only the path is taken. */
  to: string
}

export interface Template<Schema extends z.ZodType> {
  schema: Schema
  write(data: z.output<Schema>): Letter
}

/** Ties what a template says to the data that it needs. */
export function defineTemplate<Schema extends z.ZodType>(
  schema: Schema,
  write: (data: z.output<Schema>) => Letter,
): Template<Schema> {
  return { schema, write }
}
