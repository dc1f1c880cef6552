import './report-page.css'
import type { ReactNode } from 'react'
import {
  type ReportErrors,
  reportHref,
  reportLimits,
  reportReasons,
  type TypedReport,
} from '#domain/forms/report-form.ts'
import { routes } from '#domain/routes.ts'
import { uncorrected } from '#public-pages/uncorrected.ts'

interface ReportPageProps {
  /** The host and the name that are reported; without a name the visitor types one. */
  host: string
  name: string | undefined
  typed: TypedReport
  errors: ReportErrors
  /** Why a valid report could not be accepted. */
  trouble: string | undefined
}

/** The form of `/report`. It works without JavaScript: the server sends the entered values back with the errors. */
export function ReportPage({ host, name, typed, errors, trouble }: ReportPageProps) {
  const firstError = Object.keys(errors)[0]
  /** The attributes that mark an invalid field; the first one gets the focus. */
  const marks = (field: keyof TypedReport) =>
    errors[field] === undefined
      ? {}
      : {
          'aria-invalid': true,
          'aria-describedby': `${field}-error`,
          autoFocus: field === firstError,
        }
  return (
    <div className="report">
      <h1 className="report-title">Report a link or page</h1>
      <p className="report-text">
        Tell us what is wrong with it. Your report goes to the people who run {host}, not to its
        owner.
      </p>
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
          <Field name="name" label="Address of the link or page" error={errors.name}>
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
            <p className="report-label">What you report</p>
            <p className="report-name">
              {host}/{name}
            </p>
            <input type="hidden" name="name" value={name} />
          </div>
        )}
        <Reasons chosen={typed.reason} error={errors.reason} hasFocus={firstError === 'reason'} />
        <Field name="details" label="Details (optional)" error={errors.details}>
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
        <Field
          name="email"
          label="Your email, if you want an answer (optional)"
          error={errors.email}
        >
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
          Send report
        </button>
      </form>
    </div>
  )
}

interface ReasonsProps {
  chosen: string | undefined
  error: string | undefined
  /** Whether the first of them has the focus. */
  hasFocus: boolean
}

function Reasons({ chosen, error, hasFocus }: ReasonsProps) {
  return (
    <fieldset className="report-reasons" aria-describedby={error && 'reason-error'}>
      <legend className="report-label">What is wrong?</legend>
      {reportReasons.map(({ value, label }, i) => (
        <label className="report-reason" key={value}>
          <input
            type="radio"
            name="reason"
            value={value}
            defaultChecked={chosen === value}
            required
            {...(i === 0 ? { autoFocus: hasFocus } : {})}
          />
          <span>{label}</span>
        </label>
      ))}
      <ErrorText field="reason" error={error} />
    </fieldset>
  )
}

/** Shown after every report, whether or not the reported page exists. */
export function ReportSentPage() {
  return (
    <div className="notice">
      <h1 className="notice-title">Thank you for your report</h1>
      <p className="notice-text">
        We look at every report. If you left an email address, we may write to you.
      </p>
      <a className="notice-action" href={routes.home.href()}>
        Return to Home
      </a>
    </div>
  )
}

interface FieldProps {
  name: keyof TypedReport
  label: string
  error: string | undefined
  children: ReactNode
}

function Field({ name, label, error, children }: FieldProps) {
  return (
    <div>
      <label className="report-label" htmlFor={name}>
        {label}
      </label>
      {children}
      <ErrorText field={name} error={error} />
    </div>
  )
}

function ErrorText({ field, error }: { field: string; error: string | undefined }) {
  if (error === undefined) return null
  return (
    <p className="report-error" id={`${field}-error`}>
      {error}
    </p>
  )
}
