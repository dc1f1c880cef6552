import type { ReactNode } from 'react'
import { routes } from '#domain/routes.ts'
import { useAppHref } from '#public-pages/frame/app-address.ts'
import { PageMark } from './page-mark.tsx'
import { useVisitorTexts } from './visitor-language.ts'
import { ReportLink } from '#public-pages/report/report-link.tsx'

interface PageFrameProps {
  /** The name that the link in the footer reports, if there is something to report. */
  report: string | undefined
  children: ReactNode
}

/** Around each page that speaks for the site: its name, the way home, and the way to report something. */
export function PageFrame({ report, children }: PageFrameProps) {
  const { site } = useVisitorTexts()
  const home = useAppHref(routes.home.href())
  return (
    <>
      <header className="hp-top">
        <a className="hp-top-home" href={home}>
          <PageMark />
          Hoplet
        </a>
      </header>
      <main>{children}</main>
      <footer className="hp-foot">
        <p>{site.slogan()}</p>
        {report === undefined ? null : <ReportLink name={report} />}
      </footer>
    </>
  )
}
