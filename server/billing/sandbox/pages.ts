import { createElement, type ReactElement } from 'react'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { planOffers } from '#domain/plans.ts'
import { routes } from '#domain/routes.ts'
import { SandboxCheckoutPage } from '#public-pages/sandbox/checkout-page.tsx'
import { SandboxAwayPage, SandboxClosedPage } from '#public-pages/sandbox/frame.tsx'
import { SandboxPortalPage } from '#public-pages/sandbox/portal-page.tsx'
import { isSameOrigin } from '../../http/same-origin.ts'
import { type Database, DatabaseUnavailableError } from '../../postgres/database.ts'
import { publicPage } from '../../http/public-page.ts'
import type { Actions } from './actions.ts'
import { decliningCard, goodCard } from './cards.ts'
import { asOfNow, offerOfCheckout } from './checkout.ts'
import { SandboxError } from './errors.ts'
import { livePortal } from './portal.ts'
import { actOnPortal, doneTexts } from './portal-actions.ts'
import { portalView } from './portal-view.ts'
import { find, get, runWork, type Work } from './work.ts'
import { idOf } from '../read-truth.ts'

interface Parts {
  database: Database
  actions: Actions
  /** Waits until the events of an action have had their effect. */
  settle(): Promise<void>
}

type Fields = Record<string, string>

const closedCheckout = 'This checkout was paid, has expired or never was. Start again from Hoplet.'
const closedPortal = 'This page was open for an hour, or never was. Open it again from Hoplet.'

/** The pages under `/sandbox`, to be mounted there. They work without script. */
export function createSandboxPages({ database, actions, settle }: Parts): Hono {
  const pages = new Hono()
  const read = async <T>(work: (work: Work) => Promise<T>): Promise<T> =>
    (await runWork(database, 'read', work)).result

  const checkout = async (
    c: Context,
    status: 200 | 400 | 402,
    problem?: string,
    typed?: Fields,
  ) => {
    const shown = await read((work) => checkoutView(work, c.req.param('id') ?? ''))
    if (!shown) return closed(c, closedCheckout)
    const view = {
      ...shown,
      problem,
      email: typed?.email ?? shown.email,
      card: typed?.card ?? shown.card,
    }
    return page(c, createElement(SandboxCheckoutPage, { view }), 'Checkout', status)
  }

  const portal = async (c: Context, status: 200 | 400, problem?: string) => {
    const view = await read(async (work) => {
      const session = await livePortal(work, c.req.param('id') ?? '')
      return session && portalView(work, session)
    })
    if (!view) return closed(c, closedPortal)
    const done = problem === undefined ? doneTexts.get(c.req.query('done') ?? '') : undefined
    const content = createElement(SandboxPortalPage, { view: { ...view, done, problem } })
    return page(c, content, 'Your subscription', status)
  }

  pages.onError((error, c) => {
    if (!(error instanceof DatabaseUnavailableError)) throw error
    c.header('Retry-After', '5')
    return page(c, createElement(SandboxAwayPage, { url: c.req.path }), 'Please try again', 503)
  })
  pages.use(bodyLimit({ maxSize: 8 * 1024 }))
  pages.get('/checkout/:id{\\w+}', (c) => checkout(c, 200))
  pages.post('/checkout/:id{\\w+}', async (c) => {
    const fields = await fieldsOf(c)
    if (!fields) return c.text('Forbidden', 403)
    try {
      const cardNumber = fields.do === 'decline' ? decliningCard : (fields.card ?? '')
      const email = (fields.email ?? '').replaceAll(/\p{C}/gu, '').slice(0, 255)
      const result = await actions.pay(c.req.param('id'), { cardNumber, email })
      if (result.kind === 'closed') return closed(c, closedCheckout)
      if (result.kind === 'declined') return await checkout(c, 402, result.message, fields)
      await settle()
      return c.redirect(result.successUrl, 303)
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error
      return checkout(c, 400, error.message, fields)
    }
  })
  pages.get('/portal/:id{\\w+}', (c) => portal(c, 200))
  pages.post('/portal/:id{\\w+}', async (c) => {
    const fields = await fieldsOf(c)
    if (!fields) return c.text('Forbidden', 403)
    const session = await read((work) => livePortal(work, c.req.param('id')))
    if (!session) return closed(c, closedPortal)
    try {
      const name = await actOnPortal(actions, session, fields)
      await settle()
      const back = session.flow?.after_completion.redirect?.return_url
      if (name === 'confirm' && back) return c.redirect(back, 303)
      return c.redirect(`${c.req.path}?done=${name}`, 303)
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error
      return portal(c, 400, error.message)
    }
  })
  return pages
}

async function checkoutView(work: Work, id: string) {
  const found = await find(work, 'checkout.session', id)
  const session = found && asOfNow(work, found)
  if (session?.status !== 'open') return undefined
  const customer = await get(work, 'customer', idOf(session.customer) ?? '')
  const offer = offerOfCheckout(session)
  return {
    plan: offer.name,
    cents: offer.cents,
    features: planOffers[offer.plan].features,
    email: customer.email ?? '',
    card: goodCard.replaceAll(/(.{4})(?=.)/g, '$1 '),
    backUrl: session.cancel_url ?? routes.upgrade.href(),
  }
}

/** The fields of a form of ours; undefined when it was sent from elsewhere. */
async function fieldsOf(c: Context): Promise<Fields | undefined> {
  if (!isSameOrigin(c.req.raw, new URL(c.req.url).origin)) return undefined
  const fields = Object.entries(await c.req.parseBody())
  return Object.fromEntries(
    fields.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

function closed(c: Context, text: string) {
  const content = createElement(SandboxClosedPage, { text, backUrl: routes.upgrade.href() })
  return page(c, content, 'This page is closed', 404)
}

function page(
  c: Context,
  content: ReactElement,
  title: string,
  status: 200 | 400 | 402 | 404 | 503,
) {
  const { html, policy } = publicPage(
    content,
    {
      title: `${title} · Hoplet sandbox`,
      description: 'Play money only.',
      publicUrl: new URL(c.req.url).origin,
    },
    { sheet: 'sandbox' },
    { formsTo: "'self'" },
  )
  c.header('Content-Security-Policy', policy)
  c.header('Cache-Control', 'no-store')
  c.header('X-Robots-Tag', 'noindex')
  // The address is the key to the page.
  c.header('Referrer-Policy', 'same-origin')
  return c.html(html, status)
}
