import type { ChangeEvent, Ref } from 'react'
import * as z from 'zod/mini'
import { isVisible } from '#domain/forms/visible-text.ts'
import { sharedReportTexts } from '#domain/texts/link-texts.ts'
import { Field } from '#web/ui/fields/field.tsx'
import type { ReportSubject } from './shared-report-queries.ts'

/** An optional text; an emoji is one character, as the database counts. */
const word = (maxLength: number, sentence: string) =>
  z.string().check(
    z.trim(),
    z.refine(
      (text) =>
        text === '' ||
        (Array.from(text).length <= maxLength && isVisible(text) && !/\p{Cc}/u.test(text)),
      sentence,
    ),
  )

/** Words of the owner on a shared report. */
export const reportWordFields = {
  title: word(200, sharedReportTexts.titleInvalid),
  shownName: word(100, sharedReportTexts.nameInvalid),
}

/** The stored value of a field: an empty one is none. */
export const wordOf = (text: string) => (text.trim() === '' ? null : text.trim())

interface FieldProps {
  name: string
  value: string
  onChange: (event: ChangeEvent<HTMLInputElement>) => void
  error: string | undefined
}

interface ReportWordsFieldsProps {
  ref?: Ref<HTMLInputElement>
  subject: ReportSubject
  text: (name: 'title' | 'shownName') => FieldProps
}

/** The title of a report, and the name that its readers see. */
export function ReportWordsFields({ ref, subject, text }: ReportWordsFieldsProps) {
  return (
    <>
      <Field
        {...(ref !== undefined && { ref })}
        label="Title"
        autoComplete="off"
        {...text('title')}
        placeholder={subject.name}
        hint={subject.kind === 'tag' ? sharedReportTexts.noTitleOfTag : sharedReportTexts.noTitle}
      />
      <Field
        label="Shared by"
        autoComplete="organization"
        {...text('shownName')}
        hint={sharedReportTexts.noName}
      />
    </>
  )
}
