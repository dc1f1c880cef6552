import './bio-page.css'
import '#public-pages/frame/visitor.css'
import { platformOf } from '#domain/bio/platforms.ts'
import { routes } from '#domain/routes.ts'
import { useAppHref } from '#public-pages/frame/app-address.ts'
import type { VisitorTexts } from '#domain/texts/catalogs.generated.ts'
import { Avatar } from './avatar.tsx'
import { LineIcon, PlatformIcon } from '#public-pages/frame/icon.tsx'
import { bioProperties } from './looks.ts'
import { MadeWith } from '#public-pages/frame/made-with.tsx'
import { ownersText } from '#public-pages/owners-text.ts'
import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'
import { QrCode } from '#public-pages/share/qr-code.tsx'
import { ReportLink } from '#public-pages/report/report-link.tsx'
import { ShareDialog, shareDialogId } from '#public-pages/share/share-dialog.tsx'
import type { BioLinkView, BioPageView, SocialLinkView } from '#public-pages/view-models.ts'

interface BioPageProps {
  page: BioPageView
  note?: string
  /** The page's name, for its report link; a preview has none. */
  name?: string
}

/** The bio page that visitors get. */
export function BioPage({ page, note, name }: BioPageProps) {
  const { bio: texts } = useVisitorTexts()
  const home = useAppHref(routes.home.href())
  const auth = useAppHref(routes.auth.href())
  return (
    <div className="hp-bio">
      <div className="hp-bio-ground">
        <div className="hp-bio-card">
          <button className="hp-bio-share" type="button" popoverTarget={shareDialogId} data-share>
            <LineIcon name="share" size={18} />
            <span>{texts.share()}</span>
          </button>
          <Avatar title={page.title} url={page.avatarUrl} />
          <h1 className="hp-bio-title" {...ownersText}>
            <span className="hp-bio-at">@</span>
            {page.title}
          </h1>
          {page.description === '' ? null : (
            <p className="hp-bio-description" {...ownersText}>
              {page.description}
            </p>
          )}
          <SocialLinks links={page.socialLinks} />
          <Links links={page.links} />
          <div className="hp-bio-code">
            <QrCode address={page.address} />
          </div>
          {note === undefined ? null : <p className="hp-bio-note">{note}</p>}
          <a className="hp-bio-join" href={auth}>
            {texts.join({ title: page.title })}
          </a>
        </div>
        <div className="hp-bio-foot">
          {page.marked ? <MadeWith /> : null}
          <a className="hp-bio-home" href={home}>
            {texts.backHome()}
          </a>
          {name === undefined ? null : <ReportLink name={name} />}
        </div>
      </div>
      <ShareDialog page={page} />
    </div>
  )
}

/** The bio page in the editor, as wide as its container. It does not react to input. */
export function BioPagePreview({ page }: { page: BioPageView }) {
  return (
    <div inert className="hp-visitor hp-bio-preview" style={bioProperties(page)}>
      <BioPage page={page} />
    </div>
  )
}

function SocialLinks({ links }: { links: readonly SocialLinkView[] }) {
  const { bio: texts } = useVisitorTexts()
  if (links.length === 0) return null
  return (
    <ul
      className="hp-bio-social"
      aria-label={texts.socialLinks()}
      data-row={rowLength(links.length)}
    >
      {links.map(({ platform, href }, i) => (
        <li key={i}>
          <a href={href} {...externalLink} aria-label={platformName(platform, texts)}>
            <PlatformIcon platform={platform} size={22} />
          </a>
        </li>
      ))}
    </ul>
  )
}

/** Brands have the same name in each language. */
function platformName(platform: string, texts: VisitorTexts['bio']): string {
  const { id, name } = platformOf(platform)
  return id === 'website' || id === 'email' ? texts[id]() : name
}

const maxIconsInRow = 7

/** How many icons stand in a row, so that no row is much shorter than the others: 13 are 7 and 6. */
export function rowLength(icons: number): number {
  return icons <= maxIconsInRow
    ? maxIconsInRow
    : Math.ceil(icons / Math.ceil(icons / maxIconsInRow))
}

const maxProminentLinks = 2

function Links({ links }: { links: readonly BioLinkView[] }) {
  const { bio: texts } = useVisitorTexts()
  if (links.length === 0) return <p className="hp-bio-empty">{texts.noLinks()}</p>
  const prominent = links.filter(({ kind }) => kind === 'link').slice(0, maxProminentLinks)
  return (
    <ul className="hp-bio-links" aria-label={texts.links()}>
      {links.map((link, i) => (
        <li key={i}>
          <Entry link={link} isProminent={prominent.includes(link)} />
        </li>
      ))}
    </ul>
  )
}

function Entry({ link, isProminent }: { link: BioLinkView; isProminent: boolean }) {
  if (link.kind === 'divider') return <hr className="hp-bio-divider" />
  if (link.kind === 'header')
    return (
      <h2 className="hp-bio-header" {...ownersText}>
        {link.title}
      </h2>
    )
  const { title, href, imageUrl } = link
  const look = isProminent ? 'hp-bio-link hp-bio-link-prominent' : 'hp-bio-link'
  return (
    <a
      className={imageUrl === null ? look : `${look} hp-bio-link-pictured`}
      href={href}
      {...externalLink}
      {...ownersText}
    >
      {imageUrl === null ? null : <img src={imageUrl} alt="" width={40} height={40} />}
      {title}
    </a>
  )
}

/** For the owner's links: a new tab without access to this page, and no referrer. */
const externalLink = { target: '_blank', rel: 'noopener noreferrer' } as const
