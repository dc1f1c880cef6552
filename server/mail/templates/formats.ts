import { type TextLanguage, textLanguages } from '#domain/texts/languages.ts'

/** 700 and 'usd' become `$7.00`; yen have no cents. */
export function moneyText(
  { amount, currency }: { amount: number; currency: string },
  language: TextLanguage,
): string {
  const { locale } = textLanguages[language]
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency })
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}

/** 'November 21, 2026', in UTC: the reader's time zone is unknown. */
export function dayText(instant: string, language: TextLanguage): string {
  const { locale } = textLanguages[language]
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(instant),
  )
}
