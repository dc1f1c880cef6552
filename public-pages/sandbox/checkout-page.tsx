import { dollars } from '#domain/money.ts'
import { uncorrected } from '#public-pages/uncorrected.ts'
import { PageMessage, SandboxFrame } from './frame.tsx'

/** Contents of the checkout page. */
export interface CheckoutView {
  plan: string
  cents: number
  features: readonly string[]
  email: string
  card: string
  backUrl: string
  /** Why the last attempt failed. */
  problem?: string | undefined
}

const cards = [
  { number: '4242 4242 4242 4242', effect: 'pays.' },
  { number: '4000 0000 0000 0002', effect: 'is declined.' },
  { number: '5555 5555 5555 4444', effect: 'pays, and is the same card in every account.' },
]

/** The play-money checkout: an order and a field for test cards, without script. */
export function SandboxCheckoutPage({ view }: { view: CheckoutView }) {
  return (
    <SandboxFrame>
      <div className="sandbox-columns">
        <section className="sandbox-order" aria-labelledby="order">
          <p className="sandbox-soft">Subscribe to {view.plan}</p>
          <h1 className="sandbox-price" id="order">
            {dollars(view.cents)} <span>per month</span>
          </h1>
          <ul className="sandbox-features">
            {view.features.map((feature) => (
              <li key={feature}>{feature}</li>
            ))}
          </ul>
          <dl className="sandbox-sums">
            <dt>{view.plan}, monthly</dt>
            <dd>{dollars(view.cents)}</dd>
            <dt>
              <strong>Total due today</strong>
            </dt>
            <dd>
              <strong>{dollars(view.cents)}</strong>
            </dd>
          </dl>
        </section>
        <CheckoutForm view={view} />
      </div>
    </SandboxFrame>
  )
}

function CheckoutForm({ view }: { view: CheckoutView }) {
  return (
    <section className="sandbox-card" aria-labelledby="pay">
      <h2 className="sandbox-heading" id="pay">
        Pay with card
      </h2>
      <PageMessage text={view.problem} bad />
      <form method="post" className="sandbox-form">
        <label className="sandbox-label">
          Email
          <input
            className="sandbox-input"
            type="email"
            name="email"
            defaultValue={view.email}
            autoComplete="email"
            {...uncorrected}
            maxLength={255}
            required
          />
        </label>
        <label className="sandbox-label">
          Test card number
          <input
            className="sandbox-input sandbox-mono"
            name="card"
            defaultValue={view.card}
            inputMode="numeric"
            autoComplete="off"
            maxLength={30}
            aria-describedby="cards"
            required
          />
        </label>
        <ul className="sandbox-hint" id="cards">
          {cards.map(({ number, effect }) => (
            <li key={number}>
              <span className="sandbox-number">{number}</span> {effect}
            </li>
          ))}
          <li>Never type a real card here.</li>
        </ul>
        <button className="sandbox-button" name="do" value="pay">
          Pay {dollars(view.cents)}
        </button>
        <button className="sandbox-button sandbox-button-quiet" name="do" value="decline">
          Simulate a declined card
        </button>
        <a className="sandbox-link" href={view.backUrl}>
          Back
        </a>
      </form>
    </section>
  )
}
