import { reportHref } from '#domain/forms/report-form.ts'
import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'

/** The link at the foot of a page that reports it to the operators of the site. */
export function ReportLink({ name }: { name: string }) {
  const { site } = useVisitorTexts()
  return (
    <div className="hp-report">
      <a href={reportHref(name)} rel="nofollow">
        {site.report()}
      </a>
    </div>
  )
}
