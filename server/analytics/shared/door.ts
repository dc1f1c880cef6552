import { parse } from 'hono/utils/cookie'
import { createElement } from 'react'
import { defaultLanguage } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
import { LinkPasswordPage } from '#public-pages/link/link-pages.tsx'
import { fontRule, ownFont } from '#public-pages/bio/look-fonts.ts'
import { reportTitle, type SharedReportView } from '#public-pages/report/shared/report-view.ts'
import { ClosedReportPage } from '#public-pages/report/shared/closed-report-page.tsx'
import { SharedReportPage } from '#public-pages/report/shared/shared-report-page.tsx'
import type { Context } from '../../context.ts'
import { limitByAddress, ownForm } from '../../http/guards.ts'
import { pageResponse, pageTitle, publicPage } from '../../http/public-page.ts'
import { type PasswordRefusal, retryAfter } from '../../http/password-refusal.ts'
import { type HttpCall, routesWith } from '../../http/router.ts'
import type { BucketPolicy } from '../../primitives/token-bucket.ts'
import { fileName, reportCsv } from './report-files.ts'
import type { SharedReport } from './live-report.ts'

interface SharedCall extends HttpCall {
  deps: Pick<Context, 'config' | 'rateLimits' | 'reportPdfs' | 'sharedReports' | 'visitorPasswords'>
}
interface FoundCall extends SharedCall {
  report: SharedReport
}

const perAddress: BucketPolicy = { name: 'shared-report', burst: 60, windowSeconds: 60 }
/** The longest password percent-encoded, and some room. */
const maxBodyBytes = 4 * 1024
/** Days of a report; the second one opens first. */
const ranges = [7, 30, 90] as const

const sharedRoute = routesWith<SharedCall>()
const limited = limitByAddress(perAddress)

/** `/analytics/shared/{token}`: a page without script for people without an account. */
export const sharedReportRoutes = [
  sharedRoute('GET', '/:token', [limited], (call) => ifFound(call, show)),
  sharedRoute('POST', '/:token', [limited, ownForm(maxBodyBytes)], (call) =>
    ifFound(call, (found) => takePassword({ ...found, form: call.form })),
  ),
  sharedRoute('GET', '/:token/report.csv', [limited], (call) => ifFound(call, sendCsv)),
  sharedRoute('GET', '/:token/report.pdf', [limited], (call) => ifFound(call, sendPdf)),
]

/** The token is in the address of the page, which no other site may learn. */
const headers = { 'Referrer-Policy': 'same-origin' }

async function ifFound(
  call: SharedCall,
  answer: (call: FoundCall) => Promise<Response>,
): Promise<Response> {
  const { deps, params } = call
  const report = await deps.sharedReports.find(params['token'] ?? '')
  if (!report) return closedResponse(deps.config.publicUrl)
  return answer({ ...call, report })
}

/** One page for a report that has ended and for an address that was never there. */
function closedResponse(publicUrl: string): Response {
  const { sharedReport: texts } = visitorTexts(defaultLanguage)
  const page = publicPage(
    createElement(ClosedReportPage),
    { title: pageTitle(texts.closedTitle()), description: texts.closedText(), publicUrl },
    {},
  )
  return pageResponse(page, 404, headers)
}

/** Unless a password protects it, and the visitor has not given it. */
function isOpen({ deps, report, request }: FoundCall): boolean {
  const guarded = guardedBy(report)
  const name = cookieName(report)
  const proof = parse(request.headers.get('cookie') ?? '', name)[name] ?? ''
  return guarded === undefined || deps.visitorPasswords.isProof(guarded, proof)
}

/** The report in the days that the address asks for. */
async function read(call: FoundCall): Promise<SharedReportView> {
  const { deps, report } = call
  const days = daysOf(call)
  return {
    host: new URL(deps.config.linksUrl).host,
    code: report.short_code,
    tag: report.tag,
    title: report.title,
    shownName: report.shown_name,
    zone: report.zone,
    days,
    figures: await deps.sharedReports.figuresOf(report, days),
  }
}

function daysOf({ url }: FoundCall): number {
  const asked = Number(url.searchParams.get('days'))
  return ranges.find((range) => range === asked) ?? ranges[1]
}

async function show(call: FoundCall): Promise<Response> {
  if (!isOpen(call)) return askPassword(call)
  const { deps, url } = call
  const view = await read(call)
  const { sharedReport: texts } = visitorTexts(defaultLanguage)
  const page = publicPage(
    createElement(SharedReportPage, { view, ranges, path: url.pathname }),
    {
      title: pageTitle(texts.title({ address: reportTitle(view) })),
      description: texts.description(),
      publicUrl: deps.config.publicUrl,
      font: ownFont.path,
    },
    { sheet: 'shared', colors: fontRule(ownFont) },
  )
  return pageResponse(page, 200, headers)
}

/** The page's figures as a file; without the password the page asks for it. */
async function sendCsv(call: FoundCall): Promise<Response> {
  if (!isOpen(call)) return toPage(call)
  const view = await read(call)
  return fileResponse(reportCsv(view), fileName(view, 'csv'), 'text/csv; charset=utf-8')
}

/** The same for print. */
async function sendPdf(call: FoundCall): Promise<Response> {
  if (!isOpen(call)) return toPage(call)
  const { deps, report } = call
  const { bytes, name } = await deps.reportPdfs.pdfOf(report.id, daysOf(call), () => read(call))
  return fileResponse(bytes, name, 'application/pdf')
}

function fileResponse(body: BodyInit, name: string, type: string): Response {
  return new Response(body, {
    headers: {
      ...headers,
      'Content-Type': type,
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
      'X-Robots-Tag': 'noindex',
    },
  })
}

function toPage({ url }: FoundCall): Response {
  const location = url.pathname.replace(/\/[^/]*$/, '') + url.search
  return new Response(null, {
    status: 303,
    headers: { ...headers, Location: location, 'Cache-Control': 'no-store' },
  })
}

function askPassword({ deps, url }: FoundCall, refusal?: PasswordRefusal): Response {
  const { password: texts } = visitorTexts(defaultLanguage)
  const page = publicPage(
    createElement(LinkPasswordPage, {
      action: url.pathname + url.search,
      subject: 'report',
      refusal,
    }),
    {
      title: pageTitle(texts.reportTitle()),
      description: texts.reportDescription(),
      publicUrl: deps.config.publicUrl,
    },
    { sheet: 'link' },
    { formsTo: 'us' },
  )
  return pageResponse(page, refusal?.status, { ...headers, ...retryAfter(refusal) })
}

async function takePassword(call: FoundCall & { form: URLSearchParams }): Promise<Response> {
  const { deps, report, form, info, url } = call
  const guarded = guardedBy(report)
  const toReport = { ...headers, Location: url.pathname + url.search, 'Cache-Control': 'no-store' }
  if (!guarded) return new Response(null, { status: 303, headers: toReport })
  const password = form.get('password') ?? ''
  const refusal = await deps.visitorPasswords.check(guarded, password, info.address)
  if (refusal) return askPassword(call, refusal)
  const cookie = [
    `${cookieName(report)}=${deps.visitorPasswords.proofOf(guarded)}`,
    `Path=${url.pathname}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(deps.config.publicUrl.startsWith('https:') ? ['Secure'] : []),
  ].join('; ')
  return new Response(null, { status: 303, headers: { ...toReport, 'Set-Cookie': cookie } })
}

function guardedBy({ id, password_hash: hash, password_version: version }: SharedReport) {
  return hash === null || version === null
    ? undefined
    : { subject: `shared report ${id}`, hash, version }
}

const cookieName = ({ id }: SharedReport) => `hoplet_report_${id}`
