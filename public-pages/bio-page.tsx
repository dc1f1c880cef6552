import './bio-page.css'
import { platformOf } from '#domain/platforms.ts'
import { routes } from '#domain/routes.ts'
import { Avatar } from './avatar.tsx'
import { themeProperties } from './colors.ts'
import { LineIcon, PlatformIcon } from './icon.tsx'
import { MadeWith } from './made-with.tsx'
import { ownersText } from './owners-text.ts'
import { QrCode } from './qr-code.tsx'
import { ReportLink } from './report-link.tsx'
import { ShareDialog, shareDialogId } from './share-dialog.tsx'
import type { BioLinkView, BioPageView, SocialLinkView } from './view-models.ts'

interface BioPageProps {
  page: BioPageView
  note?: string
  /** The page's name, for its report link; a preview has none. */
  name?: string
}

/** The bio page that visitors get. */
export function BioPage({ page, note, name }: BioPageProps) {
  return (
    <div className="hp-bio">
      <div className="hp-bio-bar">
        <a className="hp-bio-tool" href={routes.home.href()}>
          <LineIcon name="back" />
          <span>Back to home</span>
        </a>
        <button className="hp-bio-tool" type="button" popoverTarget={shareDialogId} data-share>
          <LineIcon name="share" />
          <span>Share</span>
        </button>
      </div>
      <div className="hp-bio-column">
        <Avatar title={page.title} />
        <h1 className="hp-bio-title" {...ownersText}>
          @{page.title}
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
        <a className="hp-bio-join" href={routes.auth.href()}>
          Join @{page.title}
        </a>
        {page.marked ? <MadeWith /> : null}
      </div>
      {name === undefined ? null : <ReportLink name={name} />}
      <ShareDialog page={page} />
    </div>
  )
}

/** The bio page in the editor, in a frame as narrow as a phone. It does not react to input. */
export function BioPagePreview({ page }: { page: BioPageView }) {
  return (
    <div inert className="hp-bio-preview" style={themeProperties(page.theme)}>
      <BioPage page={page} />
    </div>
  )
}

function SocialLinks({ links }: { links: readonly SocialLinkView[] }) {
  if (links.length === 0) return null
  return (
    <ul className="hp-bio-social" aria-label="Social links">
      {links.map(({ platform, href }, i) => (
        <li key={i}>
          <a href={href} {...externalLink} aria-label={platformOf(platform).name}>
            <PlatformIcon platform={platform} size={22} />
          </a>
        </li>
      ))}
    </ul>
  )
}

const maxProminentLinks = 2

function Links({ links }: { links: readonly BioLinkView[] }) {
  if (links.length === 0) return <p className="hp-bio-empty">No links added yet.</p>
  return (
    <ul className="hp-bio-links" aria-label="Links">
      {links.map(({ title, href }, i) => (
        <li key={i}>
          <a
            className={i < maxProminentLinks ? 'hp-bio-link hp-bio-link-prominent' : 'hp-bio-link'}
            href={href}
            {...externalLink}
            {...ownersText}
          >
            {title}
          </a>
        </li>
      ))}
    </ul>
  )
}

/** For the owner's links: a new tab without access to this page, and no referrer. */
const externalLink = { target: '_blank', rel: 'noopener noreferrer' } as const
