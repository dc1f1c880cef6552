import { spaceLimits } from '#domain/spaces/space-form.ts'
import { readableHost } from '#domain/links/destinations.ts'
import { site } from '#web/site.ts'
import { Field } from '#web/ui/fields/field.tsx'

interface AddressFieldProps {
  slug: string
  error: string | undefined
  onChange: (slug: string) => void
  hint?: string | undefined
}

/** The address of a space. */
export function AddressField({ slug, error, onChange, hint }: AddressFieldProps) {
  return (
    <Field
      label="Address"
      name="slug"
      kind="verbatim"
      maxLength={spaceLimits.slug}
      leading={`${readableHost(site.publicUrl)}/s/`}
      placeholder="harbour-books"
      value={slug}
      onChange={(event) => onChange(event.target.value.toLowerCase().replaceAll(' ', '-'))}
      error={error}
      hint={hint}
      className="font-mono"
    />
  )
}
