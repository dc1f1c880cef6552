import { createElement, type ReactElement } from 'react'
import type { ReportErrors, TypedReport } from '#domain/report-form.ts'
import { ReportPage, ReportSentPage } from '#public-pages/report-page.tsx'
import { pageResponse, publicPage } from '../http/public-page.ts'

interface Form {
  name: string | undefined
  typed: TypedReport
  errors?: ReportErrors
  trouble?: string
}

/** The form, empty or with what was typed and why it was not taken. */
export function reportForm(
  publicUrl: string,
  { name, typed, errors = {}, trouble }: Form,
  status?: number,
  headers?: Record<string, string>,
): Response {
  const { host } = new URL(publicUrl)
  const content = createElement(ReportPage, { host, name, typed, errors, trouble })
  return answer(publicUrl, content, 'Report a link or page · Hoplet', 'report', status, headers)
}

/** What everybody sees who sent one. */
export function reportSent(publicUrl: string): Response {
  return answer(
    publicUrl,
    createElement(ReportSentPage),
    'Thank you for your report · Hoplet',
    'notice',
  )
}

function answer(
  publicUrl: string,
  content: ReactElement,
  title: string,
  sheet: 'report' | 'notice',
  status?: number,
  headers?: Record<string, string>,
): Response {
  const about = { title, description: 'Tell us about a link or page that does harm.', publicUrl }
  const permissions = sheet === 'report' ? { formsTo: "'self'" } : {}
  return pageResponse(publicPage(content, about, { sheet }, permissions), status, headers)
}
