/** A long way made of small hops. */
export function HopTrail({ className }: { className: string }) {
  return (
    <svg viewBox="0 0 360 150" fill="none" aria-hidden className={className}>
      <g stroke="currentColor" strokeWidth="3" strokeLinecap="round">
        <path d="M14 118C34 -28 158 -28 178 118" />
        <path d="M178 118C192 26 266 26 280 118" />
        <path d="M280 118C288 66 326 66 334 112" />
      </g>
      <g fill="currentColor">
        <circle cx="14" cy="136" r="7" />
        <circle cx="178" cy="136" r="7" />
        <circle cx="280" cy="136" r="7" />
      </g>
      <circle cx="336" cy="136" r="9" fill="var(--accent)" />
    </svg>
  )
}
