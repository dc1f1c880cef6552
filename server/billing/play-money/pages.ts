import { createElement, type ReactElement } from 'react'
import type { Hono } from 'hono'
import { planOffers } from '#domain/plans.ts'
import { routes as appRoutes } from '#domain/routes.ts'
import { SandboxCheckoutPage } from '#public-pages/sandbox/checkout-page.tsx'
import { SandboxAwayPage, SandboxClosedPage } from '#public-pages/sandbox/frame.tsx'
import { SandboxPortalPage } from '#public-pages/sandbox/portal-page.tsx'
import { createErrorRouter } from '../../http/errors.ts'
import { ownForm } from '../../http/guards.ts'
import { pageResponse, publicPage } from '../../http/public-page.ts'
import { type HttpCall, type HttpEnvironment, routesWith } from '../../http/router.ts'
import { type Database, DatabaseUnavailableError } from '../../postgres/database.ts'
import {
  cardNumberOf,
  declinedMessage,
  decliningCard,
  isWorkingCard,
  offerOf,
  PlayMoneyRefusal,
  subscribe,
  workingCard,
} from './account.ts'
import { doneTextOf, pressButton } from './portal-buttons.ts'
import { portalView } from './portal-view.ts'
import {
  changePlayAccount,
  closePlayPage,
  inPlayMoney,
  type PlayPage,
  type PlayTransaction,
  readPlayPage,
} from './store.ts'

interface SandboxDeps {
  config: { publicUrl: string }
  database: Database
  /** Waits for the effects of what was done. */
  settle(): Promise<void>
}

interface SandboxCall extends HttpCall {
  deps: SandboxDeps
}

/** What a person typed, and why it was refused. */
interface Refused {
  form: URLSearchParams
  refusal: PlayMoneyRefusal
}

/** What differs between the two pages, which work without script. */
interface PageKind {
  title: string
  closed: string
  show(
    page: PlayPage,
    now: number,
    query: URLSearchParams,
    refused: Refused | undefined,
  ): ReactElement
  /** Returns the address that comes next. @throws {PlayMoneyRefusal} */
  submit(transaction: PlayTransaction, page: PlayPage, form: URLSearchParams): Promise<string>
}

const kinds: Record<PlayPage['kind'], PageKind> = {
  checkout: {
    title: 'Checkout',
    closed: 'This checkout was paid, has expired or never existed. Start again from Hoplet.',
    show: (page, _now, _query, refused) => {
      const offer = offerOf(page.price_id ?? '')
      const view = {
        plan: offer.name,
        cents: offer.cents,
        features: planOffers[offer.plan].features,
        email: refused?.form.get('email') ?? page.email ?? '',
        card: refused?.form.get('card') ?? workingCard.replaceAll(/(.{4})(?=.)/g, '$1 '),
        backUrl: page.back_url,
        problem: refused?.refusal.message,
      }
      return createElement(SandboxCheckoutPage, { view })
    },
    /** Pays the order. Paying twice changes nothing; a card that declines leaves the checkout open. */
    async submit(transaction, { id, status, customer_id, price_id, success_url }, form) {
      if (status === 'paid') return success_url
      requireOpen(status)
      const isDeclined = form.get('do') === 'decline'
      const card = isDeclined ? decliningCard : cardNumberOf(form.get('card') ?? '')
      if (!isWorkingCard(card)) throw new PlayMoneyRefusal(declinedMessage, 402)
      await changePlayAccount(transaction, customer_id, (account, now) =>
        subscribe(account, now, price_id ?? '', card),
      )
      await closePlayPage(transaction, id, 'paid')
      return success_url
    },
  },
  portal: {
    title: 'Your subscription',
    closed: 'This page was open for an hour, or never existed. Open it again from Hoplet.',
    show: (page, now, query, refused) => {
      const done = refused ? undefined : doneTextOf(query.get('done'))
      const view = { ...portalView(page, now), done, problem: refused?.refusal.message }
      return createElement(SandboxPortalPage, { view })
    },
    async submit(transaction, { status, customer_id, success_url }, form) {
      requireOpen(status)
      const button = form.get('do') ?? ''
      await pressButton(transaction, customer_id, button, form)
      return button === 'confirm' ? success_url : `?done=${button}`
    },
  },
}

function requireOpen(status: PlayPage['status']): void {
  if (status !== 'open') throw new PlayMoneyRefusal('This page is closed.')
}

const sandboxRoute = routesWith<SandboxCall>()
const form = ownForm(8 * 1024)
const address = '/:kind{checkout|portal}/:id{[\\w-]+}'

const routes = [
  sandboxRoute('GET', address, [], (call) => show(call)),
  sandboxRoute('POST', address, [form], submit),
]

/** `/sandbox`. */
export function createPlayMoneyPages(deps: SandboxDeps): Hono<HttpEnvironment> {
  return createErrorRouter(routes, deps, (error, { url }) => {
    if (!(error instanceof DatabaseUnavailableError)) return undefined
    const content = createElement(SandboxAwayPage, { url: url.pathname })
    return respond(deps, content, 'Please try again', 503, { 'Retry-After': '5' })
  })
}

async function show({ deps, params, url }: SandboxCall, refused?: Refused): Promise<Response> {
  const { kind, id } = named(params)
  const { title, closed, show: draw } = kinds[kind]
  const content = await inPlayMoney(deps.database, async (transaction) => {
    const page = await readPlayPage(transaction, kind, id)
    return page?.status === 'open' && draw(page, transaction.now, url.searchParams, refused)
  })
  if (content) return respond(deps, content, title, refused?.refusal.status)
  const backUrl = appRoutes.upgrade.href()
  const sorry = createElement(SandboxClosedPage, { text: closed, backUrl })
  return respond(deps, sorry, 'This page is closed', 404)
}

async function submit(call: SandboxCall & { form: URLSearchParams }): Promise<Response> {
  const { deps, params } = call
  const { kind, id } = named(params)
  try {
    const next = await inPlayMoney(deps.database, async (transaction) => {
      const page = await readPlayPage(transaction, kind, id)
      return page && kinds[kind].submit(transaction, page, call.form)
    })
    if (next === undefined) return await show(call)
    await deps.settle()
    return new Response(null, { status: 303, headers: { Location: next } })
  } catch (error) {
    if (!(error instanceof PlayMoneyRefusal)) throw error
    return show(call, { form: call.form, refusal: error })
  }
}

function named(params: HttpCall['params']): Pick<PlayPage, 'kind' | 'id'> {
  return { kind: params['kind'] === 'portal' ? 'portal' : 'checkout', id: params['id'] ?? '' }
}

function respond(
  { config: { publicUrl } }: SandboxDeps,
  content: ReactElement,
  title: string,
  status?: number,
  headers?: Record<string, string>,
): Response {
  const about = { title: `${title} · Hoplet sandbox`, description: 'Play money only.', publicUrl }
  const page = publicPage(content, about, { sheet: 'sandbox' }, { formsTo: "'self'" })
  // The address is the key to the page.
  return pageResponse(page, status, { 'Referrer-Policy': 'same-origin', ...headers })
}
