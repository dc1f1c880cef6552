import { bioLimits, slugAsTyped } from '#domain/bio/bio-form.ts'
import { reservedOnDomains } from '#domain/links/domain-paths.ts'
import { reservedWords } from '#domain/routes.ts'
import { bioFieldMessages } from '#domain/texts/bio-texts.ts'
import { reservedCodeNotice } from '#domain/texts/texts.ts'
import { NameAvailability } from '#web/forms/name-availability.tsx'
import { shownHost } from '#web/shown-link.ts'
import { characterCount } from '#web/ui/fields/character-count.ts'
import { Field } from '#web/ui/fields/field.tsx'

/** Shorter ones are allowed, but nothing says beforehand whether they are free. */
const minLength = 3

interface SlugFieldProps {
  slug: string
  domain: string | null
  locked: boolean
  error: string | undefined
  onChange: (slug: string) => void
}

/** The page's address. It can be chosen once, so the field says so while it can. */
export function SlugField({ slug, domain, locked, error, onChange }: SlugFieldProps) {
  return (
    <Field
      label="Slug"
      data-path="slug"
      kind="verbatim"
      aria-required
      readOnly={locked}
      value={slug}
      onChange={(event) => onChange(slugAsTyped(event.target.value))}
      note={locked ? undefined : characterCount(slug, bioLimits.slug)}
      error={error}
      hint={
        <>
          <span className="mb-0.5 block font-mono break-all text-ink-soft">
            {shownHost(domain)}/{slug === '' ? 'your-name' : slug}
          </span>
          {locked ? (
            'Your address can’t be changed.'
          ) : (
            <SlugHint slug={slug} domain={domain} asks={error === undefined} onTake={onChange} />
          )}
        </>
      }
      className={`font-mono ${locked ? 'bg-sunken! text-ink-soft' : ''}`}
    />
  )
}

interface SlugHintProps {
  slug: string
  domain: string | null
  /** Whether to ask the server if it is free. */
  asks: boolean
  onTake: (slug: string) => void
}

/** Below the field of a slug that is not stored yet: whether it is free, and which ones are possible. */
export function SlugHint({ slug, domain, asks, onTake }: SlugHintProps) {
  return (
    <>
      {asks ? (
        <NameAvailability
          name={slug.length < minLength ? '' : slug}
          domain={domain}
          refusal={refusalOf(slug, domain)}
          empty=""
          onTake={onTake}
        />
      ) : null}
      <strong className="font-medium text-ink">You can’t change this later.</strong> 3-30
      characters: lowercase letters, numbers, hyphens and underscores.
    </>
  )
}

function refusalOf(slug: string, domain: string | null): string | undefined {
  if (slug.length > bioLimits.slug) return bioFieldMessages.slug
  const reserved = domain === null ? reservedWords : reservedOnDomains
  return reserved.includes(slug) ? reservedCodeNotice.description : undefined
}
