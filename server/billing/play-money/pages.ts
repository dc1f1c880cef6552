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
import {
  cardNumberOf,
  declinedMessage,
  decliningCard,
  offerOf,
  playCards,
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
  readPlayAccount,
  readPlayPage,
} from './store.ts'

interface PagesDeps {
  database: Database
  /** Waits for the effects of what was done. */
  settle(): Promise<void>
}

type Fields = Record<string, string>

const closedCheckout =
  'This checkout was paid, has expired or never existed. Start again from Hoplet.'
const closedPortal = 'This page was open for an hour, or never existed. Open it again from Hoplet.'

/** The pages under `/sandbox`, to be mounted there. They work without script. */
export function createPlayMoneyPages({ database, settle }: PagesDeps): Hono {
  const pages = new Hono()
  const showCheckout = async (c: Context, status: 200 | 400 | 402, said: Said = {}) => {
    const view = await inPlayMoney(database, 'read', (transaction) =>
      checkoutView(transaction, c.req.param('id') ?? '', said),
    )
    if (!view) return closed(c, closedCheckout)
    return page(c, createElement(SandboxCheckoutPage, { view }), 'Checkout', status)
  }
  const showPortal = async (c: Context, status: 200 | 400, problem?: string) => {
    const view = await inPlayMoney(database, 'read', async (transaction) => {
      const portal = await readPlayPage(transaction, 'portal', c.req.param('id') ?? '')
      const account =
        portal?.status === 'open' && (await readPlayAccount(transaction, portal.customer_id))
      return portal && account ? portalView(account, portal, transaction.now) : undefined
    })
    if (!view) return closed(c, closedPortal)
    const done = problem === undefined ? doneTextOf(c.req.query('done')) : undefined
    const content = createElement(SandboxPortalPage, { view: { ...view, done, problem } })
    return page(c, content, 'Your subscription', status)
  }

  pages.onError((error, c) => {
    if (!(error instanceof DatabaseUnavailableError)) throw error
    c.header('Retry-After', '5')
    return page(c, createElement(SandboxAwayPage, { url: c.req.path }), 'Please try again', 503)
  })
  pages.use(bodyLimit({ maxSize: 8 * 1024 }))
  pages.get('/checkout/:id{\\w+}', (c) => showCheckout(c, 200))
  pages.post('/checkout/:id{\\w+}', async (c) => {
    const fields = await fieldsOf(c)
    if (!fields) return c.text('Forbidden', 403)
    try {
      const result = await inPlayMoney(database, 'write', (transaction) =>
        pay(transaction, c.req.param('id'), fields),
      )
      if (result === 'closed') return closed(c, closedCheckout)
      if (result === 'declined')
        return await showCheckout(c, 402, { problem: declinedMessage, fields })
      await settle()
      return c.redirect(result.success_url, 303)
    } catch (error) {
      if (!(error instanceof PlayMoneyRefusal)) throw error
      return showCheckout(c, 400, { problem: error.message, fields })
    }
  })
  pages.get('/portal/:id{\\w+}', (c) => showPortal(c, 200))
  pages.post('/portal/:id{\\w+}', async (c) => {
    const fields = await fieldsOf(c)
    if (!fields) return c.text('Forbidden', 403)
    try {
      const portal = await inPlayMoney(database, 'write', async (transaction) => {
        const found = await readPlayPage(transaction, 'portal', c.req.param('id'))
        if (found?.status !== 'open') return undefined
        await pressButton(transaction, found.customer_id, fields)
        return found
      })
      if (!portal) return closed(c, closedPortal)
      await settle()
      const isConfirmed = fields['do'] === 'confirm'
      return c.redirect(
        isConfirmed ? portal.success_url : `${c.req.path}?done=${fields['do']}`,
        303,
      )
    } catch (error) {
      if (!(error instanceof PlayMoneyRefusal)) throw error
      return showPortal(c, 400, error.message)
    }
  })
  return pages
}

/** Pays the order. Paying twice changes nothing; a card that declines leaves the checkout open. */
async function pay(
  transaction: PlayTransaction,
  id: string,
  fields: Fields,
): Promise<PlayPage | 'declined' | 'closed'> {
  const checkout = await readPlayPage(transaction, 'checkout', id)
  if (checkout?.status === 'paid') return checkout
  if (checkout?.status !== 'open' || checkout.price_id === null) return 'closed'
  const { customer_id, price_id } = checkout
  const number = fields['do'] === 'decline' ? decliningCard : cardNumberOf(fields['card'] ?? '')
  if (!playCards[number]?.works) return 'declined'
  await changePlayAccount(transaction, customer_id, (account, now) =>
    subscribe(account, now, price_id, number),
  )
  await closePlayPage(transaction, id, 'paid')
  return checkout
}

interface Said {
  problem?: string
  /** What was typed. */
  fields?: Fields
}

async function checkoutView(transaction: PlayTransaction, id: string, { problem, fields }: Said) {
  const checkout = await readPlayPage(transaction, 'checkout', id)
  if (checkout?.status !== 'open' || checkout.price_id === null) return undefined
  const offer = offerOf(checkout.price_id)
  return {
    plan: offer.name,
    cents: offer.cents,
    features: planOffers[offer.plan].features,
    email: fields?.['email'] ?? (await emailOf(transaction, checkout.customer_id)),
    card: fields?.['card'] ?? workingCard.replaceAll(/(.{4})(?=.)/g, '$1 '),
    backUrl: checkout.back_url,
    problem,
  }
}

async function emailOf({ db }: PlayTransaction, customerId: string): Promise<string> {
  const { rows } = await db.query<{ email: string }>(
    `select p.email from app.play_money_customers c join app.profiles p on p.id = c.account_id where c.id = $1`,
    [customerId],
  )
  return rows[0]?.email ?? ''
}

/** The fields of our own form; undefined when it was sent from another origin. */
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
