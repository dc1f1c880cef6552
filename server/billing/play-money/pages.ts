import { createElement, type ReactElement } from 'react'
import type { Hono } from 'hono'
import { planOffers } from '#domain/plans.ts'
import { SandboxCheckoutPage } from '#public-pages/sandbox/checkout-page.tsx'
import { SandboxAwayPage, SandboxClosedPage } from '#public-pages/sandbox/frame.tsx'
import { SandboxPortalPage } from '#public-pages/sandbox/portal-page.tsx'
import { createErrorRouter } from '../../http/errors.ts'
import { ownForm } from '../../http/guards.ts'
import { pageResponse, publicPage } from '../../http/public-page.ts'
import { type HttpCall, type HttpEnvironment, routesWith } from '../../http/router.ts'
import { DatabaseUnavailableError } from '../../postgres/database.ts'
import { withDeadline } from '../../primitives/deadline.ts'
import {
  cardNumberOf,
  decliningCard,
  offerOf,
  PlayMoneyRefusal,
  subscribe,
  workingCard,
} from './account.ts'
import { deliverPlayEvents, type PlayMoneyDeps } from './play-money.ts'
import { portalView, pressButton } from './portal.ts'
import {
  changePlayAccount,
  inPlayMoney,
  type PlayPage,
  type PlayTransaction,
  readPlayPage,
} from './store.ts'
import { ifError, matchError } from '../../primitives/caught-error.ts'

interface SandboxDeps extends PlayMoneyDeps {
  config: { publicUrl: string }
}

interface SandboxCall extends HttpCall {
  deps: SandboxDeps
}

/** Typed values, and the reason of the refusal. */
interface Refused {
  form: URLSearchParams
  refusal: PlayMoneyRefusal
}

/** Differences of the two pages, which work without script. */
interface PageKind {
  title: string
  /** @param pressed the button that led here */
  show(page: PlayPage, now: number, pressed: string, refused: Refused | undefined): ReactElement
  /** Returns the address that comes next. @throws {PlayMoneyRefusal} */
  submit(transaction: PlayTransaction, page: PlayPage, form: URLSearchParams): Promise<string>
}

const kinds: Record<PlayPage['kind'], PageKind> = {
  checkout: {
    title: 'Checkout',
    show({ priceId, email, backUrl }, _now, _pressed, refused) {
      const { name, plan, cents } = offerOf(priceId ?? '')
      const view = {
        plan: name,
        cents,
        features: planOffers[plan].features,
        email: refused?.form.get('email') ?? email ?? '',
        card: refused?.form.get('card') ?? workingCard.replaceAll(/(.{4})(?=.)/g, '$1 '),
        backUrl,
        problem: refused?.refusal.message,
      }
      return createElement(SandboxCheckoutPage, { view })
    },
    async submit(transaction, { id, customerId, priceId, successUrl }, form) {
      const isDeclined = form.get('do') === 'decline'
      const card = isDeclined ? decliningCard : cardNumberOf(form.get('card') ?? '')
      await changePlayAccount(transaction, customerId, (account, now) =>
        subscribe(account, now, priceId ?? '', card),
      )
      await transaction.db.query(`update app.play_money_pages set status = 'paid' where id = $1`, [
        id,
      ])
      return successUrl
    },
  },
  portal: {
    title: 'Your subscription',
    show(page, now, pressed, refused) {
      const view = { ...portalView(page, now, pressed), problem: refused?.refusal.message }
      return createElement(SandboxPortalPage, { view })
    },
    async submit(transaction, page, form) {
      const button = form.get('do') ?? ''
      await pressButton(transaction, page, button, form)
      return button === 'confirm' ? page.successUrl : `?done=${button}`
    },
  },
}

const sandboxRoute = routesWith<SandboxCall>()
const address = '/:kind/:id'
/** How long a page waits for the effects of its change. */
const effectTimeoutMs = 3_000

const routes = [
  sandboxRoute('GET', address, [], (call) => show(call)),
  sandboxRoute('POST', address, [ownForm(8 * 1024)], submit),
]

/** `/sandbox`. */
export function createPlayMoneyPages(deps: SandboxDeps): Hono<HttpEnvironment> {
  return createErrorRouter(routes, deps, (error, { url }) => {
    const content = createElement(SandboxAwayPage, { url: url.pathname })
    const away = () => respond(deps, content, 'Please try again', 503, { 'Retry-After': '5' })
    return matchError(error, [DatabaseUnavailableError, away])
  })
}

async function show({ deps, params, url }: SandboxCall, refused?: Refused): Promise<Response> {
  const pressed = (!refused && url.searchParams.get('done')) || ''
  const shown = await inPlayMoney(deps.database, async (transaction) => {
    const page = await readPlayPage(transaction, params['id'] ?? '')
    if (page?.status !== 'open') return undefined
    const kind = kinds[page.kind]
    return { title: kind.title, content: kind.show(page, transaction.now, pressed, refused) }
  })
  return shown
    ? respond(deps, shown.content, shown.title, refused?.refusal.status)
    : respond(deps, createElement(SandboxClosedPage), 'This page is closed', 404)
}

async function submit(call: SandboxCall & { form: URLSearchParams }): Promise<Response> {
  const { deps, params, form } = call
  const pay = async () => {
    const next = await inPlayMoney(deps.database, async (transaction) => {
      const page = await readPlayPage(transaction, params['id'] ?? '')
      // The second click of a double click.
      if (page?.status === 'paid') return page.successUrl
      return page?.status === 'open' ? kinds[page.kind].submit(transaction, page, form) : undefined
    })
    if (next === undefined) return show(call)
    await withDeadline(effectTimeoutMs, () => deliverPlayEvents(deps)).catch(() => undefined)
    return new Response(null, { status: 303, headers: { Location: next } })
  }
  return pay().catch(ifError(PlayMoneyRefusal, (refusal) => show(call, { form, refusal })))
}

function respond(
  { config: { publicUrl } }: SandboxDeps,
  content: ReactElement,
  title: string,
  status?: number,
  headers?: Record<string, string>,
): Response {
  const about = { title: `${title} · Hoplet sandbox`, description: 'Play money only.', publicUrl }
  const page = publicPage(content, about, { sheet: 'sandbox' }, { formsTo: 'us' })
  // The address is the key to the page.
  return pageResponse(page, status, { 'Referrer-Policy': 'same-origin', ...headers })
}
