import { ownHostsOf } from '#domain/destinations.ts'
import { checkReport, reportedName, type TypedReport } from '#domain/report-form.ts'
import type { Context } from '../context.ts'
import { readText } from '../http/body.ts'
import { limitKey } from '../http/client-address.ts'
import type { Caller, Door } from '../http/door.ts'
import { errorResponse, httpErrors, toHttpError } from '../http/errors.ts'
import type { Policy } from '../http/rate-limit.ts'
import { DatabaseUnavailableError } from '../postgres/database.ts'
import { fileReport } from './file-report.ts'
import { reportForm, reportSent } from './report-pages.ts'
import { isSameOrigin } from '../http/same-origin.ts'

const perAddress: Policy = { name: 'report', burst: 5, window: 60 }
/** So that a crowd cannot fill the table with one name. */
const perName: Policy = { name: 'report-name', burst: 200, window: 3_600 }

/** Every character of the longest report percent-encoded, and some room. */
const bodyLimit = 16 * 1024

const untouched: TypedReport = { name: '', reason: '', details: '', email: '' }
const sentPath = '/report/sent'

/** `/report`: a page with a form for visitors, who need no account and no script. */
export function createReportsDoor(
  context: Pick<Context, 'config' | 'database' | 'rateLimits'>,
): Door {
  const { config, database, rateLimits } = context

  const form = (request: Request): Response => {
    const asked = new URL(request.url).searchParams.get('name') ?? ''
    const name = reportedName(asked.slice(0, maxTyped), ownHostsOf(config.publicUrl))
    return reportForm(config.publicUrl, { name, typed: untouched })
  }

  const take = async (request: Request, caller: Caller): Promise<Response> => {
    if (!isSameOrigin(request, config.publicUrl)) throw httpErrors.foreignOrigin()
    if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers.get('content-type') ?? ''))
      throw httpErrors.notAForm()
    const typed = typedIn(await readText(request, bodyLimit))
    const ownHosts = ownHostsOf(config.publicUrl)
    const checked = checkReport(typed, ownHosts)
    const again = { name: reportedName(typed.name, ownHosts), typed }
    if ('errors' in checked)
      return reportForm(config.publicUrl, { ...again, errors: checked.errors }, 422)
    const { report } = checked
    const wait =
      rateLimits.take(perAddress, limitKey(caller.address)) ?? rateLimits.take(perName, report.name)
    if (wait !== undefined) {
      const trouble = 'Too many reports. Please try again in a few minutes.'
      const later = { 'Retry-After': String(wait) }
      return reportForm(config.publicUrl, { ...again, trouble }, 429, later)
    }
    try {
      await fileReport(database, report)
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error
      const trouble = 'Your report cannot be stored right now. Please try again in a moment.'
      return reportForm(config.publicUrl, { ...again, trouble }, 503, { 'Retry-After': '5' })
    }
    caller.log.info({ name: report.name, reason: report.reason }, 'reported')
    // Elsewhere, so that a reload sends nothing twice.
    return new Response(null, { status: 303, headers: { Location: sentPath } })
  }

  return async (request, caller) => {
    try {
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      const path = new URL(request.url).pathname.replace(/\/$/, '')
      if (path === sentPath && isRead) return reportSent(config.publicUrl)
      if (path !== '/report') throw httpErrors.notFound()
      if (isRead) return form(request)
      if (request.method === 'POST') return await take(request, caller)
      throw httpErrors.methodNotAllowed('GET, HEAD, POST')
    } catch (error) {
      const known = toHttpError(error, request)
      if (!known) throw error
      return errorResponse(known)
    }
  }
}

/** No name that exists is longer, and no address with one. */
const maxTyped = 2_100

function typedIn(body: string): TypedReport {
  const fields = new URLSearchParams(body)
  const typed = (field: keyof TypedReport) => fields.get(field) ?? ''
  return {
    name: typed('name').slice(0, maxTyped),
    reason: typed('reason'),
    details: typed('details'),
    email: typed('email'),
  }
}
