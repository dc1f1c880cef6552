import { BioPage } from './bio-page.tsx'
import type { VisitorTexts } from '#domain/texts/catalogs.generated.ts'
import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'
import type { BioPageView } from '#public-pages/view-models.ts'

/** The sample profile of `/demo`: it belongs to no account and never changes. */
export function DemoPage({ page }: { page: BioPageView }) {
  const { demo } = useVisitorTexts()
  return <BioPage page={page} name="demo" note={demo.note()} />
}

/** The content of the sample profile. `address` is shown by its QR code and share dialog. */
export function demoView(address: string, { demo }: VisitorTexts): BioPageView {
  return {
    title: 'mayafields',
    description: demo.description(),
    address,
    theme: { primary: '24 88% 40%', background: '36 60% 96%', text: '26 30% 14%' },
    look: 'plain',
    avatarUrl: null,
    links: [
      { title: demo.spring(), href: 'https://example.com/spring' },
      { title: demo.evenings(), href: 'https://example.com/evenings' },
      { title: demo.film(), href: 'https://example.com/film' },
      { title: demo.letters(), href: 'https://example.com/letters' },
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
