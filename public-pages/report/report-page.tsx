import './report-page.css'
import { type ReactNode, use } from 'react'
import {
  type ReportField,
  reportHref,
  reportLimits,
  reportReasons,
  type TypedReport,
} from '#domain/forms/report-form.ts'
import { routes } from '#domain/routes.ts'
import { useAppHref } from '#public-pages/frame/app-address.ts'
import { formatNumber } from '#domain/texts/catalog.ts'
import { useVisitorTexts, VisitorLanguage } from '#public-pages/frame/visitor-language.ts'
import { uncorrected } from '#public-pages/uncorrected.ts'

interface ReportPageProps {
  /** The host and the name that are reported; without a name the visitor types one. */
  host: string
  name: string | undefined
  typed: TypedReport
  /** Fields with a mistake, in the order of the form. */
  invalid: readonly ReportField[]
  /** Why a valid report could not be accepted. */
  trouble: string | undefined
}

/** The form of `/report`. It works without JavaScript: the server sends the entered values back with the errors. */
export function ReportPage({ host, name, typed, invalid, trouble }: ReportPageProps) {
  const { report: texts } = useVisitorTexts()
  const language = use(VisitorLanguage)
  const [firstError] = invalid
  /** The attributes that mark an invalid field; the first one gets the focus. */
  const marks = (field: ReportField) =>
    !invalid.includes(field)
      ? {}
      : {
          'aria-invalid': true,
          'aria-describedby': `${field}-error`,
          autoFocus: field === firstError,
        }
  const problems: Record<ReportField, string> = {
    name: texts.nameProblem(),
    reason: texts.reasonProblem(),
    details: texts.detailsProblem({ limit: formatNumber(reportLimits.details, language) }),
    email: texts.emailProblem(),
  }
  const problemOf = (field: ReportField) => (invalid.includes(field) ? problems[field] : undefined)
  return (
    <div className="report">
      <h1 className="report-title">{texts.heading()}</h1>
      <p className="report-text">{texts.text({ host })}</p>
      {trouble === undefined ? null : (
        <p className="report-trouble" role="alert">
          {trouble}
        </p>
      )}
      <form
        className="report-form"
        method="post"
        action={name === undefined ? '/report' : reportHref(name)}
        noValidate
      >
        {name === undefined ? (
          <Field name="name" label={texts.nameLabel()} problem={problemOf('name')}>
            <input
              className="report-input"
              id="name"
              name="name"
              defaultValue={typed.name}
              placeholder={`${host}/...`}
              autoComplete="off"
              {...uncorrected}
              required
              {...marks('name')}
            />
          </Field>
        ) : (
          <div>
            <p className="report-label">{texts.reported()}</p>
            <p className="report-name">
              {host}/{name}
            </p>
            <input type="hidden" name="name" value={name} />
          </div>
        )}
        <Reasons
          chosen={typed.reason}
          problem={problemOf('reason')}
          hasFocus={firstError === 'reason'}
        />
        <Field name="details" label={texts.detailsLabel()} problem={problemOf('details')}>
          <textarea
            className="report-input"
            id="details"
            name="details"
            rows={5}
            maxLength={reportLimits.details}
            defaultValue={typed.details}
            {...marks('details')}
          />
        </Field>
        <Field name="email" label={texts.emailLabel()} problem={problemOf('email')}>
          <input
            className="report-input"
            id="email"
            name="email"
            type="email"
            autoComplete="email"
            {...uncorrected}
            maxLength={reportLimits.email}
            defaultValue={typed.email}
            {...marks('email')}
          />
        </Field>
        <button className="report-send" type="submit">
          {texts.send()}
        </button>
      </form>
    </div>
  )
}

interface ReasonsProps {
  chosen: string | undefined
  problem: string | undefined
  /** Whether the first of them has the focus. */
  hasFocus: boolean
}

function Reasons({ chosen, problem, hasFocus }: ReasonsProps) {
  const { report: texts, reportReasons: reasons } = useVisitorTexts()
  return (
    <fieldset className="report-reasons" aria-describedby={problem && 'reason-error'}>
      <legend className="report-label">{texts.reasonLabel()}</legend>
      {reportReasons.map((value, i) => (
        <label className="report-reason" key={value}>
          <input
            type="radio"
            name="reason"
            value={value}
            defaultChecked={chosen === value}
            required
            {...(i === 0 ? { autoFocus: hasFocus } : {})}
          />
          <span>{reasons[value]()}</span>
        </label>
      ))}
      <ErrorText field="reason" problem={problem} />
    </fieldset>
  )
}

/** Shown after every report, whether or not the reported page exists. */
export function ReportSentPage() {
  const { report: texts, site } = useVisitorTexts()
  const home = useAppHref(routes.home.href())
  return (
    <div className="notice">
      <h1 className="notice-title">{texts.sentHeading()}</h1>
      <p className="notice-text">{texts.sentText()}</p>
      <a className="notice-action" href={home}>
        {site.returnHome()}
      </a>
    </div>
  )
}

interface FieldProps {
  name: ReportField
  label: string
  problem: string | undefined
  children: ReactNode
}

function Field({ name, label, problem, children }: FieldProps) {
  return (
    <div>
      <label className="report-label" htmlFor={name}>
        {label}
      </label>
      {children}
      <ErrorText field={name} problem={problem} />
    </div>
  )
}

function ErrorText({ field, problem }: { field: string; problem: string | undefined }) {
  if (problem === undefined) return null
  return (
    <p className="report-error" id={`${field}-error`}>
      {problem}
    </p>
  )
}
