import './share-dialog.css'
import { routes } from '#domain/routes.ts'
import { useAppHref } from '#public-pages/frame/app-address.ts'
import { Avatar } from '#public-pages/bio/avatar.tsx'
import { LineIcon, PlatformIcon } from '#public-pages/frame/icon.tsx'
import { ownersText } from '#public-pages/owners-text.ts'
import { useVisitorTexts } from '#public-pages/frame/visitor-language.ts'
import { QrCodeAgain } from './qr-code.tsx'
import { sharePlaces } from './share-places.ts'
import type { BioPageView } from '#public-pages/view-models.ts'

export const shareDialogId = 'hp-share'

/** Ways to share a bio page. A popover, so that it opens without JavaScript; with JavaScript, a modal dialog. */
export function ShareDialog({ page }: { page: BioPageView }) {
  const { share: texts } = useVisitorTexts()
  const home = useAppHref(routes.home.href())
  const auth = useAppHref(routes.auth.href())
  const address = encodeURIComponent(page.address)
  return (
    <dialog className="hp-share" id={shareDialogId} popover="auto" aria-labelledby="hp-share-title">
      <div className="hp-share-head">
        <h2 className="hp-share-title" id="hp-share-title">
          {texts.heading()}
        </h2>
        <button
          className="hp-share-close"
          type="button"
          aria-label={texts.close()}
          popoverTarget={shareDialogId}
          popoverTargetAction="hide"
          data-share-close
        >
          <LineIcon name="close" />
        </button>
      </div>
      <div className="hp-share-card">
        <Avatar title={page.title} url={page.avatarUrl} />
        <strong {...ownersText}>@{page.title}</strong>
        <span className="hp-share-code">
          <QrCodeAgain address={page.address} />
        </span>
        <span className="hp-share-address">{page.address}</span>
      </div>
      <ul className="hp-share-places">
        <li>
          <button type="button" data-copy={page.address} hidden>
            <span className="hp-share-icon">
              <LineIcon name="copy" size={22} />
            </span>
            <span data-copy-label>{texts.copyLink()}</span>
          </button>
        </li>
        {sharePlaces.map(({ name, icon, href, hrefWithoutApp }) => (
          <li key={name}>
            <a
              className={hrefWithoutApp && 'hp-share-app'}
              href={href(address)}
              target="_blank"
              rel="noopener noreferrer"
            >
              <PlaceLabel name={name} icon={icon} />
            </a>
            {hrefWithoutApp && (
              <a
                className="hp-share-site"
                href={hrefWithoutApp}
                target="_blank"
                rel="noopener noreferrer"
                data-paste
              >
                <PlaceLabel name={name} icon={icon} />
              </a>
            )}
          </li>
        ))}
      </ul>
      <output className="hp-share-said" data-copied />
      <div className="hp-share-more">
        <a className="hp-share-sign-up" href={auth}>
          {texts.signUp()}
        </a>
        <a className="hp-share-about" href={home}>
          {texts.findOutMore()}
        </a>
      </div>
    </dialog>
  )
}

function PlaceLabel({ name, icon }: { name: string; icon: string }) {
  return (
    <>
      <span className="hp-share-icon">
        <PlatformIcon platform={icon} size={22} />
      </span>
      {name}
    </>
  )
}
