import { createElement, type ReactElement } from 'react'
import { defaultLanguage } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
import { ownHostsOf } from '#domain/links/destinations.ts'
import {
  checkReport,
  reportedName,
  type ReportField,
  type TypedReport,
} from '#domain/forms/report-form.ts'
import { ReportPage, ReportSentPage } from '#public-pages/report/report-page.tsx'
import type { Context } from '../context.ts'
import { limitKey } from '../http/client-address.ts'
import { ownForm } from '../http/guards.ts'
import type { HostPlace } from '../http/public-site.ts'
import { pageResponse, pageTitle, publicPage } from '../http/public-page.ts'
import { type HttpCall, routesWith } from '../http/router.ts'
import type { PublicSite } from '../http/public-site.ts'
import { DatabaseUnavailableError } from '../postgres/database.ts'
import type { BucketPolicy } from '../primitives/token-bucket.ts'
import { fileReport } from './file-report.ts'
import { ifError } from '../primitives/caught-error.ts'

interface ReportCall extends HttpCall {
  deps: Pick<Context, 'config' | 'database' | 'hosts' | 'rateLimits'>
}

const perAddress: BucketPolicy = { name: 'report', burst: 5, windowSeconds: 60 }
/** So that a crowd cannot fill the table with one name. */
const perName: BucketPolicy = { name: 'report-name', burst: 200, windowSeconds: 3_600 }

/** Every character of the longest report percent-encoded, and some room. */
const maxBodyBytes = 16 * 1024

const untouched: TypedReport = { name: '', reason: '', details: '', email: '' }

const reportRoute = routesWith<ReportCall>()

/** `/report`: a page with a form for visitors, who need neither an account nor scripts. */
export const reportRoutes = [
  reportRoute('GET', '/', [], showForm),
  reportRoute('POST', '/', [ownForm(maxBodyBytes)], takeReport),
  reportRoute('GET', '/sent', [], showThanks),
]

function showForm({ url, deps, info }: ReportCall): Response {
  const { place } = info
  const asked = url.searchParams.get('name') ?? ''
  const name = reportedName(asked.slice(0, maxTypedLength), ownHostsAt(place, deps))
  return reportForm(place, { name, typed: untouched })
}

/** The hosts of a place: those of PUBLIC_URL and LINKS_URL are one. */
function ownHostsAt({ prefix, site }: HostPlace, { config }: ReportCall['deps']) {
  return ownHostsOf(prefix === '' ? config : site)
}

/** Where the typed name is: at the host in it, or where the form is. */
function placeOfName(typed: string, { deps: { hosts }, info }: ReportCall): HostPlace {
  const [, host] = /^(?:https?:\/\/)?([^\s/?#]+)\//i.exec(typed.trim()) ?? []
  return (host === undefined ? undefined : hosts.knownPlaceAt(host)) ?? info.place
}

function showThanks({ info }: ReportCall): Response {
  const title = visitorTexts(defaultLanguage).report.sentHeading()
  return answer(info.place.site, createElement(ReportSentPage), title, 'notice')
}

async function takeReport(call: ReportCall & { form: URLSearchParams }): Promise<Response> {
  const { form, deps, info } = call
  const typed = typedIn(form)
  const place = placeOfName(typed.name, call)
  const ownHosts = ownHostsAt(place, deps)
  const checked = checkReport(typed, ownHosts)
  const again = { name: reportedName(typed.name, ownHosts), typed }
  if ('invalid' in checked)
    return reportForm(info.place, { ...again, invalid: checked.invalid }, 422)
  const report = { ...checked.report, name: place.prefix + checked.report.name }
  const wait =
    deps.rateLimits.take(perAddress, limitKey(info.address)) ??
    deps.rateLimits.take(perName, report.name)
  if (wait !== undefined) {
    const trouble = visitorTexts(defaultLanguage).report.tooMany()
    return reportForm(info.place, { ...again, trouble }, 429, { 'Retry-After': String(wait) })
  }
  const thank = () => {
    info.log.info({ name: report.name, reason: report.reason }, 'reported')
    // A redirect, so that a reload does not send the report again.
    return new Response(null, { status: 303, headers: { Location: '/report/sent' } })
  }
  const apologize = () => {
    const trouble = visitorTexts(defaultLanguage).report.notStored()
    return reportForm(info.place, { ...again, trouble }, 503, { 'Retry-After': '5' })
  }
  return fileReport(deps.database, report).then(thank, ifError(DatabaseUnavailableError, apologize))
}

/** Longer than any name, and any address with one. */
const maxTypedLength = 2_100

function typedIn(form: URLSearchParams): TypedReport {
  const typed = (field: keyof TypedReport) => form.get(field) ?? ''
  const name = typed('name').slice(0, maxTypedLength)
  return { name, reason: typed('reason'), details: typed('details'), email: typed('email') }
}

interface Form {
  name: string | undefined
  typed: TypedReport
  invalid?: readonly ReportField[]
  trouble?: string
}

/** The form, empty or with the input and the reason of its refusal. */
function reportForm(
  { site, links }: HostPlace,
  { name, typed, invalid = [], trouble }: Form,
  status?: number,
  headers?: Record<string, string>,
): Response {
  const { host } = new URL(links.publicUrl)
  const content = createElement(ReportPage, { host, name, typed, invalid, trouble })
  const title = visitorTexts(defaultLanguage).report.heading()
  return answer(site, content, title, 'report', status, headers)
}

function answer(
  { publicUrl, appUrl = '' }: PublicSite,
  content: ReactElement,
  title: string,
  sheet: 'report' | 'notice',
  status?: number,
  headers?: Record<string, string>,
): Response {
  const description = visitorTexts(defaultLanguage).report.description()
  const about = { title: pageTitle(title), description, publicUrl, appUrl }
  const permissions = sheet === 'report' ? ({ formsTo: 'us' } as const) : {}
  return pageResponse(publicPage(content, about, { sheet }, permissions), status, headers)
}
