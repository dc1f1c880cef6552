import { reportHref } from '#domain/forms/report-form.ts'

/** The link at the foot of a page that reports it to the operators of the site. */
export function ReportLink({ name }: { name: string }) {
  return (
    <div className="hp-report">
      <a href={reportHref(name)} rel="nofollow">
        Report
      </a>
    </div>
  )
}
