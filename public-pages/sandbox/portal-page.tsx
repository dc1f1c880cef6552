import { dollars } from '#domain/money.ts'
import { PageMessage, SandboxFrame } from './frame.tsx'
import { PortalTools } from './portal-tools.tsx'
import type { PortalInvoice, PortalView } from './portal-view.ts'

/** The play-money portal. Every button is a separate form: no script is needed. */
export function SandboxPortalPage({ view }: { view: PortalView }) {
  return (
    <SandboxFrame>
      <header className="sandbox-head">
        <h1 className="sandbox-title">Your subscription</h1>
        <a className="sandbox-link" href={view.returnUrl}>
          Return to Hoplet
        </a>
      </header>
      <PageMessage text={view.done} />
      <PageMessage text={view.problem} bad />
      {view.subscription?.asksForChange ? <Change to={view.subscription.other} /> : null}
      <Subscription view={view} />
      <Invoices invoices={view.invoices} />
      <PortalTools view={view} />
    </SandboxFrame>
  )
}

function Change({ to }: { to: NonNullable<PortalView['subscription']>['other'] }) {
  return (
    <section className="sandbox-card" aria-labelledby="change">
      <h2 className="sandbox-heading" id="change">
        Confirm your change
      </h2>
      <p className="sandbox-text">
        {to.name} costs {dollars(to.cents)} per month.{' '}
        {to.dueNow > 0
          ? `The difference of ${dollars(to.dueNow)} is charged now.`
          : 'Nothing is charged now.'}
      </p>
      <form method="post" className="sandbox-row">
        <input type="hidden" name="price" value={to.priceId} />
        <button className="sandbox-button" name="do" value="confirm">
          Confirm
        </button>
      </form>
    </section>
  )
}

function Subscription({ view: { subscription, card } }: { view: PortalView }) {
  return (
    <section className="sandbox-card" aria-labelledby="plan">
      <h2 className="sandbox-heading" id="plan">
        Current plan
      </h2>
      {subscription === undefined ? (
        <p className="sandbox-text">There is no subscription.</p>
      ) : (
        <>
          <p className="sandbox-price sandbox-price-small">
            {subscription.name} <span>{dollars(subscription.cents)} per month</span>
          </p>
          <p className="sandbox-text">
            <strong>{subscription.status}.</strong> {subscription.outlook}
          </p>
        </>
      )}
      <p className="sandbox-text">
        Payment method: <span className="sandbox-mono">{card?.label ?? 'none'}</span>
        {card && !card.works ? ', which declines' : ''}
      </p>
      {subscription === undefined ? null : (
        <form method="post" className="sandbox-row">
          <input type="hidden" name="price" value={subscription.other.priceId} />
          <button className="sandbox-button sandbox-button-quiet" name="do" value="switch">
            Switch plan to {subscription.other.name}
          </button>
          {subscription.ending ? (
            <button className="sandbox-button" name="do" value="resume">
              Resume
            </button>
          ) : (
            <button className="sandbox-button sandbox-button-quiet" name="do" value="cancel">
              Cancel at period end
            </button>
          )}
        </form>
      )}
    </section>
  )
}

function Invoices({ invoices }: { invoices: readonly PortalInvoice[] }) {
  return (
    <section className="sandbox-card" aria-labelledby="invoices">
      <h2 className="sandbox-heading" id="invoices">
        Invoices
      </h2>
      {invoices.length === 0 ? (
        <p className="sandbox-text">There are no invoices yet.</p>
      ) : (
        <table className="sandbox-table">
          <thead>
            <tr>
              <th scope="col">Number</th>
              <th scope="col">Date</th>
              <th scope="col">Amount</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {invoices.map((invoice) => (
              <tr key={invoice.number}>
                <td className="sandbox-mono">{invoice.number}</td>
                <td>{invoice.date}</td>
                <td>{dollars(invoice.cents)}</td>
                <td>{invoice.state}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
