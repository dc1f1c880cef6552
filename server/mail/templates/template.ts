import type { z } from 'zod'
import type { MailTexts } from '#domain/texts/catalogs.generated.ts'
import type { TextLanguage } from '#domain/texts/languages.ts'
import type { EmailContent } from '../layout.ts'

/** Addresses for emails, without a slash at the end: of the server, and of its own links. */
export interface MailedSite {
  publicUrl: string
  linksUrl: string
}

/** Material for an email: its checked data, and the texts of its language. */
interface Written<Data> extends MailedSite {
  data: Data
  texts: MailTexts
  language: TextLanguage
}

/** An email by its data. `write` checks the data of an outbox row first, and throws a {z.ZodError} if it does not fit. */
export function template<Schema extends z.ZodType>(
  data: Schema,
  write: (written: Written<z.output<Schema>>) => EmailContent,
) {
  return {
    data,
    write: ({ data: given, ...others }: Written<unknown>) =>
      write({ data: data.parse(given), ...others }),
  }
}
