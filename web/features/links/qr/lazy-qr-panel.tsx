import { lazyPart } from '#web/app/lazy-part.tsx'

/** The QR code of a link; its script comes when it is first wanted. */
export const LazyQrPanel = lazyPart(
  async () => (await import('./qr-panel.tsx')).QrPanel,
  // As high as the code, so that nothing moves when it comes.
  <output
    className="block h-[218px] animate-pulse rounded-xl bg-sunken"
    aria-label="Drawing the QR code"
  />,
)
