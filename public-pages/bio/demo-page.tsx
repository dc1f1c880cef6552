import { BioPage } from './bio-page.tsx'
import type { BioPageView } from '#public-pages/view-models.ts'

/** The sample profile of `/demo`: it belongs to no account and never changes. */
export function DemoPage({ page }: { page: BioPageView }) {
  return <BioPage page={page} name="demo" note="Demo Page - Not the real profile" />
}

/** The content of the sample profile. `address` is shown by its QR code and share dialog. */
export function demoView(address: string): BioPageView {
  return {
    title: 'mayafields',
    description:
      'Potter and plant keeper. New pieces from the kiln on the first Sunday of the month.',
    address,
    theme: { primary: '24 88% 40%', background: '36 60% 96%', text: '26 30% 14%' },
    look: 'plain',
    avatarUrl: null,
    links: [
      { title: 'The spring collection', href: 'https://example.com/spring' },
      { title: 'Book a pottery evening', href: 'https://example.com/evenings' },
      { title: 'How I glaze: a short film', href: 'https://example.com/film' },
      { title: 'Letters from the studio', href: 'https://example.com/letters' },
    ].map((link) => ({ ...link, kind: 'link', imageUrl: null })),
    socialLinks: [
      { platform: 'instagram', href: 'https://example.com/instagram' },
      { platform: 'youtube', href: 'https://example.com/youtube' },
      { platform: 'website', href: 'https://example.com/' },
      { platform: 'email', href: 'mailto:maya@example.com' },
    ],
    marked: false,
  }
}
