import { Key } from './ui/key.tsx'
import { modKey } from './ui/hooks/use-shortcuts.ts'

const sections: readonly { name: string; keys: readonly (readonly [string, string])[] }[] = [
  {
    name: 'Everywhere',
    keys: [
      ['N', 'New link'],
      [`${modKey}K`, 'Find anything'],
      ['?', 'These keys'],
    ],
  },
  {
    name: 'My Links',
    keys: [
      ['J', 'Next link'],
      ['K', 'Previous link'],
      ['Enter', 'Open the link’s page'],
      ['C', 'Copy'],
      ['E', 'Edit'],
      ['X', 'Select'],
      ['/', 'Search'],
    ],
  },
  {
    name: 'A link’s page',
    keys: [
      ['C', 'Copy'],
      ['Q', 'QR code'],
      ['E', 'Edit'],
    ],
  },
]

/** The keys of the app. */
export function KeyList() {
  return (
    <div className="grid gap-5">
      {sections.map(({ name, keys }) => (
        <section key={name}>
          <h3 className="mb-1.5 text-xs font-medium text-ink-faint">{name}</h3>
          <dl className="grid gap-1">
            {keys.map(([key, what]) => (
              <div key={key} className="flex min-h-8 items-center justify-between gap-4">
                <dt className="order-2">
                  <Key>{key}</Key>
                </dt>
                <dd className="text-ink-soft">{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  )
}
