import { reportHref } from '#domain/report-form.ts'

/** The quiet way to tell the site's people about a page, at its foot. */
export function ReportLink({ name }: { name: string }) {
  return (
    <footer className="hp-report">
      <a href={reportHref(name)} rel="nofollow">
        Report
      </a>
    </footer>
  )
}
