import { ChevronDown, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { ImageUpload } from '#web/forms/image-upload.tsx'
import { Button } from '#web/ui/button.tsx'
import { DateTimeField } from '#web/ui/fields/date-time-field.tsx'
import { instantOf, localTimeOf } from '#web/ui/local-time.ts'
import type { LinkDraft } from './bio-draft.ts'
import { squarePicture } from './square-picture.ts'
import type { Problems } from './use-bio-editor.ts'

interface LinkExtrasProps {
  row: LinkDraft
  path: string
  problems: Problems
  onChange: (content: Partial<LinkDraft>) => void
}

/** Picture and schedule of an entry, folded at first if both are empty. */
export function LinkExtras({ row, path, problems, onChange }: LinkExtrasProps) {
  const { kind, imageUrl, startsAt, endsAt } = row
  const error = problems.get(`${path}.endsAt`)
  const [isOpen, setOpen] = useState(imageUrl !== null || startsAt !== null || endsAt !== null)
  if (error !== undefined && !isOpen) setOpen(true)
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="group @md:col-span-2"
    >
      <summary className="flex w-fit cursor-pointer list-none items-center gap-1.5 py-1.5 text-sm text-ink-soft pointer-coarse:min-h-11">
        {kind === 'link' ? 'Picture and schedule' : 'Schedule'}
        <ChevronDown size={16} aria-hidden className="group-open:rotate-180" />
      </summary>
      <div className="grid gap-3 pt-2 @2xl:grid-cols-2">
        {kind === 'link' ? <Picture imageUrl={imageUrl} onChange={onChange} /> : null}
        <DateTimeField
          label="Start"
          name={`${path}.startsAt`}
          value={localTimeOf(startsAt)}
          onChange={(value) => onChange({ startsAt: instantOf(value) })}
          error={undefined}
        />
        <DateTimeField
          label="End"
          name={`${path}.endsAt`}
          value={localTimeOf(endsAt)}
          onChange={(value) => onChange({ endsAt: instantOf(value) })}
          error={error}
        />
      </div>
    </details>
  )
}

function Picture({
  imageUrl,
  onChange,
}: Pick<LinkDraft, 'imageUrl'> & Pick<LinkExtrasProps, 'onChange'>) {
  const button = useRef<HTMLButtonElement>(null)
  return (
    <fieldset
      aria-label="Link picture"
      className="flex flex-wrap items-center gap-2 @2xl:col-span-2"
    >
      {imageUrl === null ? null : (
        <img src={imageUrl} alt="" width={40} height={40} className="rounded-lg object-cover" />
      )}
      <ImageUpload
        ref={button}
        label={imageUrl === null ? 'Add picture' : 'Change picture'}
        prepare={squarePicture}
        onUploaded={(url) => onChange({ imageUrl: url })}
      />
      {imageUrl === null ? null : (
        <Button
          size="small"
          look="quiet"
          onClick={() => {
            onChange({ imageUrl: null })
            button.current?.focus()
          }}
        >
          <Trash2 size={16} aria-hidden />
          Remove
        </Button>
      )}
    </fieldset>
  )
}
