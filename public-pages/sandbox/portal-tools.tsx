import type { PortalView } from './portal-view.ts'

/** Buttons that simulate events of a customer of a real provider. */
export function PortalTools({ view }: { view: PortalView }) {
  const { subscription, refundable, disputed, disputable, card } = view
  return (
    <section className="sandbox-card" aria-labelledby="tools">
      <h2 className="sandbox-heading" id="tools">
        Try it out
      </h2>
      <p className="sandbox-text">
        The time in the sandbox is <strong>{view.now}</strong>. Advancing it lets renewals fall due
        for everyone here. Commissions go by the real time, and are never paid out.
      </p>
      <form method="post" className="sandbox-row">
        <button className="sandbox-button sandbox-button-quiet" name="do" value="advance-day">
          Advance time 1 day
        </button>
        <button className="sandbox-button sandbox-button-quiet" name="do" value="advance-month">
          Advance time 1 month
        </button>
        {subscription === undefined ? null : (
          <button className="sandbox-button sandbox-button-quiet" name="do" value="advance-period">
            Advance time to the end of the period
          </button>
        )}
      </form>
      {refundable > 0 && !disputed ? (
        <form method="post" className="sandbox-row">
          <label className="sandbox-label sandbox-label-short">
            Refund in dollars
            <input
              className="sandbox-input"
              name="amount"
              inputMode="decimal"
              defaultValue={(refundable / 100).toFixed(2)}
              maxLength={10}
              required
            />
          </label>
          <button className="sandbox-button sandbox-button-quiet" name="do" value="refund">
            Refund last payment
          </button>
        </form>
      ) : null}
      <form method="post" className="sandbox-row">
        {card === undefined ? null : card.works ? (
          <button className="sandbox-button sandbox-button-quiet" name="do" value="card-fails">
            Fail the next renewal
          </button>
        ) : (
          <button className="sandbox-button" name="do" value="card-works">
            Use a working card
          </button>
        )}
        {disputed ? (
          <>
            <button className="sandbox-button sandbox-button-quiet" name="do" value="dispute-won">
              Win the dispute
            </button>
            <button className="sandbox-button sandbox-button-quiet" name="do" value="dispute-lost">
              Lose the dispute
            </button>
          </>
        ) : disputable && refundable > 0 ? (
          <button className="sandbox-button sandbox-button-quiet" name="do" value="dispute">
            Open a dispute
          </button>
        ) : null}
      </form>
    </section>
  )
}
