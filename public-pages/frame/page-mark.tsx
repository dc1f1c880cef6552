/** The mark of Hoplet, in the colors of the page. */
export function PageMark() {
  return (
    <svg viewBox="0 0 32 32" className="hp-mark" aria-hidden="true">
      <path d="M6 23C7.5 2.5 21.5 -0.5 25.2 15.4" className="hp-mark-arc" />
      <circle cx="6" cy="25" r="4" className="hp-mark-dot" />
      <circle cx="26" cy="25" r="4" className="hp-mark-goal" />
    </svg>
  )
}
