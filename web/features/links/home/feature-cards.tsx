import { Link2, QrCode, Zap } from 'lucide-react'

const features = [
  {
    title: 'Instant Shortening',
    text: 'Paste a long address and get a short one. Pick the words yourself or let us.',
    Icon: Link2,
  },
  {
    title: 'QR Codes',
    text: 'Every link has a crisp code in your color, as SVG for print.',
    Icon: QrCode,
  },
  {
    title: 'Lightning Fast',
    text: 'Visitors are on their way in milliseconds, and every visit is counted once.',
    Icon: Zap,
  },
]

export function FeatureCards() {
  return (
    <section aria-label="Features">
      <ul className="grid divide-y divide-line overflow-hidden rounded-2xl border border-line sm:grid-cols-3 sm:divide-x sm:divide-y-0">
        {features.map(({ title, text, Icon }) => (
          <li key={title} className="p-6 sm:p-7">
            <Icon size={22} strokeWidth={1.75} aria-hidden className="text-accent-text" />
            <h2 className="mt-4 font-semibold tracking-tight">{title}</h2>
            <p className="mt-1.5 leading-relaxed text-ink-soft text-pretty">{text}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
