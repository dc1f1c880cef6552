const steps = [
  {
    title: 'Share your link',
    text: 'Your code stays in their sign-up form for 30 days.',
  },
  {
    title: 'They pay for a plan',
    text: 'You earn 25% of every invoice, before taxes.',
  },
  {
    title: 'They bring others',
    text: 'You also earn 10% of what their referrals pay.',
  },
  {
    title: 'You are paid',
    text: 'Commissions are paid out after 30 days. Refunds take their share back.',
  },
]

export function HowItWorks() {
  return (
    <section aria-labelledby="how-it-works">
      <h2 id="how-it-works" className="text-xl font-semibold tracking-tight">
        How it works
      </h2>
      <ol className="mt-4 grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-4">
        {steps.map(({ title, text }, index) => (
          <li key={title} className="border-t border-line pt-4">
            <span aria-hidden className="font-mono text-sm text-accent-text">
              {index + 1}
            </span>
            <h3 className="mt-1 font-semibold tracking-tight">{title}</h3>
            <p className="mt-1 text-sm leading-relaxed text-ink-soft text-pretty">{text}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}
