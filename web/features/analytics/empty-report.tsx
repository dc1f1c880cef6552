import { Mark } from '#web/ui/mark.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import type { OpenReport } from './use-report.ts'

const soon = 'The first click appears here within seconds.'
const ways: Readonly<Record<OpenReport['about']['scope'], string>> = {
  account: `Share one of your short links, its QR code or your bio page. ${soon}`,
  link: `Share the short link or its QR code, or put it on your bio page. ${soon}`,
  bio: `Put the address of your bio page into your profiles, and share it. ${soon}`,
  bio_link: `Share your bio page: a click on this link is counted here. ${soon}`,
  tag: 'Give your links this tag: their clicks are counted here.',
}

/** Before the first hit. */
export function EmptyReport({ report: { about } }: { report: OpenReport }) {
  return (
    <StatePanel title="No clicks yet" figure={<Mark size={44} />}>
      {ways[about.scope]}
    </StatePanel>
  )
}
